// SPDX-License-Identifier: GPL-2.0-or-later

// call_goes [COUNT]: waits for a line, then 8 goroutines call visit() COUNT times each. Each fourth
// visit sleeps, and each fourth grows its goroutine's stack, which Go then moves. Says
// {"pid", "calls", "sum"}; the sum of each goroutine is that of the numbers below COUNT. Waits for
// another line.
package main

import (
	"bufio"
	"fmt"
	"os"
	"strconv"
	"sync"
	"time"
)

const goroutines = 8

//go:noinline
func grow(depth int) int {
	var room [256]byte
	room[depth%256] = 1
	if depth == 0 {
		return 0
	}
	return int(room[depth%256]) + grow(depth-1)
}

//go:noinline
func visit(number int) int {
	switch number % 4 {
	case 1:
		time.Sleep(100 * time.Microsecond)
	case 2:
		return number + grow(number%1000) - number%1000
	}
	return number
}

func main() {
	count := 2000
	if len(os.Args) > 1 {
		count, _ = strconv.Atoi(os.Args[1])
	}
	input := bufio.NewReader(os.Stdin)
	input.ReadString('\n')
	var group sync.WaitGroup
	sums := make([]int, goroutines)
	for i := range sums {
		group.Add(1)
		go func(sum *int) {
			defer group.Done()
			for number := 0; number < count; number++ {
				*sum += visit(number)
			}
		}(&sums[i])
	}
	group.Wait()
	sum := 0
	for _, one := range sums {
		sum += one
	}
	fmt.Printf("{\"pid\":%d,\"calls\":%d,\"sum\":%d}\n", os.Getpid(), goroutines*count, sum)
	input.ReadString('\n')
}
