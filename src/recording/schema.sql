-- SPDX-License-Identifier: GPL-2.0-or-later
-- The format of a recording. Comments inside the statements are part of every file: people see them
-- with sqlite3's .schema. A change here is a new RECORDING_VERSION and a change of
-- man/dwell-recording.5. 4096 frames are SCHEMA_MAX_DEPTH. The numbers that `words` explains come from src/model.

CREATE TABLE meta(
 key TEXT NOT NULL PRIMARY KEY,
 value
);

CREATE TABLE words( -- what the small numbers of the other tables mean
 kind TEXT NOT NULL,
 number NOT NULL,
 word TEXT NOT NULL,
 PRIMARY KEY(kind, number)
) WITHOUT ROWID;

CREATE TABLE slices(
 id INTEGER PRIMARY KEY,
 start_ns INTEGER NOT NULL, -- from the window's start
 length_ns INTEGER NOT NULL
);

CREATE TABLE processes( -- one for each (process, exec)
 id INTEGER PRIMARY KEY,
 pid INTEGER NOT NULL,
 name TEXT NOT NULL,
 exe TEXT NOT NULL,
 container TEXT NOT NULL,
 is_kernel INTEGER NOT NULL
);

CREATE TABLE threads(
 id INTEGER PRIMARY KEY,
 tid INTEGER NOT NULL,
 process INTEGER NOT NULL, -- processes.id
 comm TEXT NOT NULL,
 start_ns INTEGER NOT NULL, -- of its life in the window
 end_ns INTEGER NOT NULL,
 running_ns INTEGER NOT NULL,
 woken_ns INTEGER NOT NULL,
 preempted_ns INTEGER NOT NULL,
 blocked_ns INTEGER NOT NULL,
 is_closed INTEGER NOT NULL, -- its end, or the window's, was seen
 is_kernel INTEGER NOT NULL
);

CREATE TABLE objects(
 id INTEGER PRIMARY KEY,
 kind INTEGER NOT NULL, -- words: object_kind
 path TEXT NOT NULL,
 build_id TEXT NOT NULL
);

CREATE TABLE frames(
 id INTEGER PRIMARY KEY,
 object INTEGER NOT NULL, -- objects.id
 address INTEGER NOT NULL, -- in the object
 name TEXT NOT NULL, -- '': reason says why
 offset INTEGER NOT NULL, -- of the address in the function
 reason INTEGER NOT NULL -- words: name_reason
);

CREATE TABLE stacks( -- nodes: a stack is a node and all its parents
 id INTEGER PRIMARY KEY,
 parent INTEGER NOT NULL, -- stacks.id towards the root, 0: none
 frame INTEGER NOT NULL, -- frames.id
 unwind_end INTEGER NOT NULL -- words: unwind_end
);

CREATE TABLE sums(
 id INTEGER PRIMARY KEY,
 thread INTEGER NOT NULL, -- threads.id
 slice_first INTEGER NOT NULL,
 slice_last INTEGER NOT NULL,
 state INTEGER NOT NULL, -- words: state
 letter TEXT NOT NULL, -- words: task_state
 band INTEGER NOT NULL, -- words: band
 kernel_stack INTEGER NOT NULL, -- stacks.id, or words: no_stack
 user_stack INTEGER NOT NULL,
 count INTEGER NOT NULL, -- 0: a part of a wait that another row counts, or not ended
 ns INTEGER NOT NULL,
 max_ns INTEGER NOT NULL,
 first_ns INTEGER NOT NULL, -- time in slice_first
 last_ns INTEGER NOT NULL, -- time in slice_last, if that is another
 chain INTEGER NOT NULL, -- chains.id of a blocked row, 0: none recorded
 awaited INTEGER NOT NULL, -- awaited.id of what a blocked row waited for, 0: not told
 owner INTEGER NOT NULL -- threads.id of who had the lock when the longest wait began, 0: not told
);

CREATE TABLE open( -- open intervals at the last commit; empty once finished
 id INTEGER PRIMARY KEY,
 thread INTEGER NOT NULL, -- threads.id
 slice_first INTEGER NOT NULL,
 slice_last INTEGER NOT NULL,
 state INTEGER NOT NULL, -- words: state
 letter TEXT NOT NULL, -- words: task_state
 band INTEGER NOT NULL, -- words: band
 kernel_stack INTEGER NOT NULL, -- stacks.id, or words: no_stack
 user_stack INTEGER NOT NULL,
 count INTEGER NOT NULL, -- 0: a part of a wait that another row counts, or not ended
 ns INTEGER NOT NULL,
 max_ns INTEGER NOT NULL,
 first_ns INTEGER NOT NULL, -- time in slice_first
 last_ns INTEGER NOT NULL, -- time in slice_last, if that is another
 chain INTEGER NOT NULL, -- chains.id of a blocked row, 0: none recorded
 awaited INTEGER NOT NULL, -- awaited.id of what a blocked row waited for, 0: not told
 owner INTEGER NOT NULL -- threads.id of who had the lock when the longest wait began, 0: not told
);

CREATE TABLE awaited( -- things that threads waited for
 id INTEGER PRIMARY KEY, -- 1 to 63: things of that kind that are not told apart
 kind INTEGER NOT NULL, -- words: awaited_kind
 name TEXT NOT NULL, -- path, network address, name of a unix socket, symbol, the kernel's word; '': none
 place TEXT NOT NULL, -- of files the file system's device, of futexes the object or region
 port INTEGER NOT NULL,
 address INTEGER NOT NULL, -- inode, pid, id of System V, or where a futex is
 process INTEGER NOT NULL -- processes.id of whose futex, child or address space it is, 0: none
);

CREATE TABLE chains( -- who woke whom, interned
 id INTEGER PRIMARY KEY,
 hop_count INTEGER NOT NULL,
 chain_end INTEGER NOT NULL -- words: chain_end
);

CREATE TABLE hops(
 chain INTEGER NOT NULL, -- chains.id
 position INTEGER NOT NULL, -- 0: the direct waker
 kind INTEGER NOT NULL, -- words: hop_kind
 name TEXT NOT NULL, -- of the waker, or of the metal
 kernel_stack INTEGER NOT NULL, -- of the waker at the wake
 user_stack INTEGER NOT NULL,
 waited_stack INTEGER NOT NULL, -- where the waker before it had been blocked, in the kernel
 waited_user_stack INTEGER NOT NULL, -- and in its program
 waited_for INTEGER NOT NULL -- awaited.id of what for, 0: not told
);

CREATE TABLE shares( -- how the time of a row of sums divides among its hops
 sum INTEGER NOT NULL, -- sums.id
 position INTEGER NOT NULL, -- hops.position; hop_count: the rest
 ran_ns INTEGER NOT NULL,
 no_cpu_ns INTEGER NOT NULL,
 earlier_ns INTEGER NOT NULL -- before the waker's own last wait
);

CREATE TABLE measures( -- events that are counted beside thread time
 id INTEGER PRIMARY KEY,
 name TEXT NOT NULL,
 unit TEXT NOT NULL, -- of the values: count, bytes or ns
 event TEXT NOT NULL, -- what one is called
 about TEXT NOT NULL,
 kind TEXT NOT NULL -- event, alloc, freed, live, leaks, faults, growth or shrink
);

CREATE TABLE counts( -- events by thread, slice, stacks and what they were on
 id INTEGER PRIMARY KEY,
 measure INTEGER NOT NULL, -- measures.id
 thread INTEGER NOT NULL, -- threads.id
 slice INTEGER NOT NULL,
 kernel_stack INTEGER NOT NULL, -- stacks.id, or words: no_stack
 user_stack INTEGER NOT NULL,
 count INTEGER NOT NULL, -- that were looked at
 value INTEGER NOT NULL, -- in the measure's unit
 max_value INTEGER NOT NULL, -- of one that was looked at
 events INTEGER NOT NULL, -- that these stand for, themselves included
 awaited INTEGER NOT NULL -- awaited.id of what they were on, 0: none
);

CREATE TABLE memory( -- of processes, in bytes
 process INTEGER NOT NULL, -- processes.id
 slice INTEGER NOT NULL, -- at its end
 rss INTEGER NOT NULL, -- resident
 anonymous INTEGER NOT NULL, -- of it: memory that is no file's
 PRIMARY KEY(process, slice)
) WITHOUT ROWID;

CREATE TABLE queues( -- who had the CPU that a thread was ready for; the time is in sums, too
 id INTEGER PRIMARY KEY,
 thread INTEGER NOT NULL, -- threads.id
 slice INTEGER NOT NULL, -- in which the thread got its CPU
 kind INTEGER NOT NULL, -- words: queue_kind
 name TEXT NOT NULL, -- of a thread
 count INTEGER NOT NULL, -- times without a CPU that it was the last of
 ns INTEGER NOT NULL,
 max_ns INTEGER NOT NULL -- of one such time
);

CREATE TABLE functions( -- whose calls were watched; counts are of calls that are in no row of calls
 id INTEGER PRIMARY KEY,
 name TEXT NOT NULL,
 kind TEXT NOT NULL, -- function, syscall, marks or kernel
 place TEXT NOT NULL, -- the file it is in; '': none
 rule TEXT NOT NULL, -- which calls are slow, as it was asked for
 slow_from_ns INTEGER NOT NULL, -- calls from here on were slow, when it was looked at last
 price_ns INTEGER NOT NULL, -- that watching adds to a call, 0: not known
 begun_before INTEGER NOT NULL, -- they ended, and had begun before the window
 left_early INTEGER NOT NULL, -- by longjmp(), an exception, or the next one (marks, system calls)
 died_inside INTEGER NOT NULL, -- with their thread, or by exec
 too_deep INTEGER NOT NULL, -- more than 8 calls were open in the thread
 unmatched INTEGER NOT NULL, -- they ended in a thread that had not begun them
 in_interrupt INTEGER NOT NULL,
 jumped_on INTEGER NOT NULL -- in calls: they ended by a jump to another function, whose time is not theirs
);

CREATE TABLE calls( -- by function, thread, slice and length
 id INTEGER PRIMARY KEY,
 function INTEGER NOT NULL, -- functions.id
 thread INTEGER NOT NULL, -- threads.id, 0: of several that are not told apart
 slice INTEGER NOT NULL, -- in which they ended
 band INTEGER NOT NULL, -- of their length: 4 for each power of two of ns
 is_error INTEGER NOT NULL, -- they returned one
 is_slow INTEGER NOT NULL, -- what they waited in is in slow
 is_inner INTEGER NOT NULL, -- within another call of the function, whose time has theirs
 count INTEGER NOT NULL,
 wall_ns INTEGER NOT NULL, -- the sum of the next four
 running_ns INTEGER NOT NULL,
 woken_ns INTEGER NOT NULL,
 preempted_ns INTEGER NOT NULL,
 blocked_ns INTEGER NOT NULL,
 max_ns INTEGER NOT NULL -- of the longest
);

CREATE TABLE open_calls( -- that had not ended when the recording did
 id INTEGER PRIMARY KEY,
 function INTEGER NOT NULL, -- functions.id
 thread INTEGER NOT NULL, -- threads.id
 is_slow INTEGER NOT NULL,
 is_inner INTEGER NOT NULL,
 wall_ns INTEGER NOT NULL, -- so far: the sum of the next four
 running_ns INTEGER NOT NULL,
 woken_ns INTEGER NOT NULL,
 preempted_ns INTEGER NOT NULL,
 blocked_ns INTEGER NOT NULL,
 state INTEGER NOT NULL, -- words: state; of the thread at the end
 kernel_stack INTEGER NOT NULL, -- where it was then: stacks.id, or words: no_stack
 user_stack INTEGER NOT NULL,
 awaited INTEGER NOT NULL -- awaited.id of what it waited for, 0: not told
);

CREATE TABLE slow( -- what slow calls waited in and ran in, as sums have it; the time is in sums, too
 id INTEGER PRIMARY KEY,
 function INTEGER NOT NULL, -- functions.id
 thread INTEGER NOT NULL, -- threads.id
 slice INTEGER NOT NULL, -- in which the call ended
 state INTEGER NOT NULL, -- words: state
 letter TEXT NOT NULL, -- words: task_state
 band INTEGER NOT NULL, -- words: band; of the wait, not of the call
 kernel_stack INTEGER NOT NULL, -- stacks.id, or words: no_stack
 user_stack INTEGER NOT NULL,
 count INTEGER NOT NULL, -- 0: a part of a wait that another row counts, or not ended
 ns INTEGER NOT NULL,
 max_ns INTEGER NOT NULL,
 chain INTEGER NOT NULL, -- chains.id of a blocked row, 0: none recorded
 awaited INTEGER NOT NULL, -- awaited.id of what a blocked row waited for, 0: not told
 owner INTEGER NOT NULL -- threads.id of who had the lock when the longest wait began, 0: not told
);

CREATE TABLE slow_shares( -- how the time of a row of slow divides among its hops, as shares have it
 sum INTEGER NOT NULL, -- slow.id
 position INTEGER NOT NULL,
 ran_ns INTEGER NOT NULL,
 no_cpu_ns INTEGER NOT NULL,
 earlier_ns INTEGER NOT NULL
);

CREATE TABLE losses(
 name TEXT NOT NULL PRIMARY KEY,
 count INTEGER NOT NULL,
 ns INTEGER NOT NULL -- time concerned
);

CREATE VIEW all_sums AS -- sums, and what was open when a recording was cut short
SELECT * FROM sums UNION ALL SELECT -id, thread, slice_first, slice_last, state, letter,
 band, kernel_stack, user_stack, count, ns, max_ns, first_ns, last_ns, chain, awaited, owner FROM open
 WHERE (SELECT value FROM meta WHERE key = 'is_finished') = 0;

CREATE VIEW frame_names AS -- each frame with a name in any case
SELECT f.id AS frame,
 CASE WHEN f.name <> '' THEN f.name ELSE o.path || printf('+0x%x', f.address) END
 AS function, o.path AS object
FROM frames f JOIN objects o ON o.id = f.object;

CREATE VIEW waits AS -- blocked time by thread and stacks
SELECT s.thread, t.tid, p.pid, t.comm, 'blocked' AS state,
 coalesce((SELECT word FROM words WHERE kind = 'task_state' AND number = letter), letter) AS task_state,
 s.count, s.total_ns, s.max_ns,
 coalesce((SELECT n.function FROM stacks k JOIN frame_names n ON n.frame = k.frame
  WHERE k.id = s.kernel_stack),
 (SELECT word FROM words WHERE kind = 'no_stack' AND number = s.kernel_stack)) AS kernel_function,
 coalesce((SELECT n.function FROM stacks k JOIN frame_names n ON n.frame = k.frame
  WHERE k.id = s.user_stack),
 (SELECT word FROM words WHERE kind = 'no_stack' AND number = s.user_stack)) AS user_function,
 s.kernel_stack, s.user_stack
FROM (SELECT thread, letter, kernel_stack, user_stack, sum(count) AS count,
  sum(ns) AS total_ns, max(max_ns) AS max_ns
  FROM all_sums WHERE state = (SELECT number FROM words WHERE kind = 'state' AND word = 'blocked')
  GROUP BY thread, letter, kernel_stack, user_stack) s
JOIN threads t ON t.id = s.thread JOIN processes p ON p.id = t.process;

CREATE VIEW things AS -- blocked time by thread and thing
SELECT s.thread, t.tid, p.pid, t.comm, (SELECT word FROM words WHERE kind = 'awaited_kind' AND number = a.kind) AS kind,
 a.name, a.place, a.port, a.address, a.id BETWEEN 0 AND 63 AS is_folded, s.count, s.total_ns, s.max_ns, s.awaited
FROM (SELECT thread, awaited, sum(count) AS count, sum(ns) AS total_ns, max(max_ns) AS max_ns
  FROM all_sums WHERE state = (SELECT number FROM words WHERE kind = 'state' AND word = 'blocked')
  AND awaited <> 0 GROUP BY thread, awaited) s
JOIN awaited a ON a.id = s.awaited JOIN threads t ON t.id = s.thread JOIN processes p ON p.id = t.process;

CREATE VIEW measured AS -- events by thread and stacks
SELECT m.name AS measure, m.unit, s.thread, t.tid, p.pid, t.comm, s.events, s.count, s.value, s.max_value,
 coalesce((SELECT n.function FROM stacks k JOIN frame_names n ON n.frame = k.frame
  WHERE k.id = s.kernel_stack),
 (SELECT word FROM words WHERE kind = 'no_stack' AND number = s.kernel_stack)) AS kernel_function,
 coalesce((SELECT n.function FROM stacks k JOIN frame_names n ON n.frame = k.frame
  WHERE k.id = s.user_stack),
 (SELECT word FROM words WHERE kind = 'no_stack' AND number = s.user_stack)) AS user_function,
 s.kernel_stack, s.user_stack
FROM (SELECT measure, thread, kernel_stack, user_stack, sum(events) AS events, sum(count) AS count, sum(value) AS value,
  max(max_value) AS max_value FROM counts GROUP BY measure, thread, kernel_stack, user_stack) s
JOIN measures m ON m.id = s.measure JOIN threads t ON t.id = s.thread
JOIN processes p ON p.id = t.process;

CREATE VIEW cpu_queues AS -- who had the CPUs while a thread was ready for one
SELECT q.thread, t.tid, p.pid, t.comm, (SELECT word FROM words WHERE kind = 'queue_kind' AND number = q.kind) AS behind,
 q.name, sum(q.count) AS count, sum(q.ns) AS total_ns, max(q.max_ns) AS max_ns
FROM queues q JOIN threads t ON t.id = q.thread JOIN processes p ON p.id = t.process
GROUP BY q.thread, q.kind, q.name;

CREATE VIEW call_latency AS -- calls by function; times but total_ns and its parts are of single calls
WITH bands AS (
 SELECT function, band, sum(wall_ns) / sum(count) AS mean_ns,
  sum(sum(count)) OVER (PARTITION BY function ORDER BY band) AS up_to FROM calls GROUP BY function, band
)
SELECT f.name AS function, c.calls, c.errors, c.slow,
 (SELECT mean_ns FROM bands WHERE function = f.id AND up_to * 100 >= c.calls * 50 ORDER BY band LIMIT 1) AS p50_ns,
 (SELECT mean_ns FROM bands WHERE function = f.id AND up_to * 100 >= c.calls * 90 ORDER BY band LIMIT 1) AS p90_ns,
 (SELECT mean_ns FROM bands WHERE function = f.id AND up_to * 100 >= c.calls * 99 ORDER BY band LIMIT 1) AS p99_ns,
 c.max_ns, c.total_ns, c.running_ns, c.woken_ns, c.preempted_ns, c.blocked_ns
FROM (SELECT function, sum(count) AS calls, sum(is_error * count) AS errors, sum(is_slow * count) AS slow,
  max(max_ns) AS max_ns, sum((1 - is_inner) * wall_ns) AS total_ns,
  sum((1 - is_inner) * running_ns) AS running_ns, sum((1 - is_inner) * woken_ns) AS woken_ns,
  sum((1 - is_inner) * preempted_ns) AS preempted_ns, sum((1 - is_inner) * blocked_ns) AS blocked_ns
  FROM calls GROUP BY function) c
JOIN functions f ON f.id = c.function;

CREATE VIEW slow_waits AS -- where the time of slow calls went, by function, state, stacks, thing and chain
SELECT f.name AS function, (SELECT word FROM words WHERE kind = 'state' AND number = s.state) AS state,
 coalesce((SELECT n.function FROM stacks k JOIN frame_names n ON n.frame = k.frame
  WHERE k.id = s.kernel_stack),
 (SELECT word FROM words WHERE kind = 'no_stack' AND number = s.kernel_stack)) AS kernel_function,
 coalesce((SELECT n.function FROM stacks k JOIN frame_names n ON n.frame = k.frame
  WHERE k.id = s.user_stack),
 (SELECT word FROM words WHERE kind = 'no_stack' AND number = s.user_stack)) AS user_function,
 coalesce(a.name, '') AS thing, coalesce(c.wakers, '') AS wakers,
 s.count, s.total_ns, s.max_ns, s.kernel_stack, s.user_stack, s.awaited, s.chain
FROM (SELECT function, state, kernel_stack, user_stack, awaited, chain, sum(count) AS count, sum(ns) AS total_ns,
  max(max_ns) AS max_ns FROM slow GROUP BY function, state, kernel_stack, user_stack, awaited, chain) s
JOIN functions f ON f.id = s.function LEFT JOIN awaited a ON a.id = s.awaited
LEFT JOIN chain_texts c ON c.chain = s.chain;

CREATE VIEW thread_time AS -- where each thread's life went
WITH counted AS ( -- stands in for totals that a crash kept from being written
 SELECT thread,
  coalesce(sum(ns) FILTER (WHERE state = (SELECT number FROM words WHERE kind = 'state' AND word = 'running')), 0) AS running_ns,
  coalesce(sum(ns) FILTER (WHERE state = (SELECT number FROM words WHERE kind = 'state' AND word = 'woken')), 0) AS woken_ns,
  coalesce(sum(ns) FILTER (WHERE state = (SELECT number FROM words WHERE kind = 'state' AND word = 'preempted')), 0) AS preempted_ns,
  coalesce(sum(ns) FILTER (WHERE state = (SELECT number FROM words WHERE kind = 'state' AND word = 'blocked')), 0) AS blocked_ns
 FROM all_sums WHERE (SELECT value FROM meta WHERE key = 'is_finished') = 0 GROUP BY thread
), known AS (
 SELECT id, tid, process, comm, end_ns - start_ns AS life_ns,
  running_ns, woken_ns, preempted_ns, blocked_ns
 FROM threads WHERE is_closed OR NOT (SELECT value FROM meta WHERE key = 'is_finished') = 0
 UNION ALL
 SELECT t.id, t.tid, t.process, t.comm,
  max((SELECT value FROM meta WHERE key = 'window_ns') - t.start_ns, 0),
  coalesce(c.running_ns, 0), coalesce(c.woken_ns, 0),
  coalesce(c.preempted_ns, 0), coalesce(c.blocked_ns, 0)
 FROM threads t LEFT JOIN counted c ON c.thread = t.id
 WHERE NOT t.is_closed AND (SELECT value FROM meta WHERE key = 'is_finished') = 0
)
SELECT k.id AS thread, k.tid, p.pid, k.comm, p.name AS process, k.life_ns, k.running_ns,
 k.woken_ns + k.preempted_ns AS runnable_ns, k.woken_ns, k.preempted_ns, k.blocked_ns
FROM known k JOIN processes p ON p.id = k.process;

CREATE VIEW sums_by_slice AS -- sums divided among the slices in which the time passed
SELECT slice_first AS slice, thread, (SELECT word FROM words WHERE kind = 'state' AND number = state) AS state,
 coalesce((SELECT word FROM words WHERE kind = 'task_state' AND number = letter), letter) AS task_state,
 (SELECT word FROM words WHERE kind = 'band' AND number = band) AS band,
 kernel_stack, user_stack,
 CASE WHEN slice_first = slice_last THEN count ELSE 0 END AS count, first_ns AS ns
FROM all_sums
UNION ALL
SELECT slice_last, thread, (SELECT word FROM words WHERE kind = 'state' AND number = state) AS state,
 coalesce((SELECT word FROM words WHERE kind = 'task_state' AND number = letter), letter) AS task_state,
 (SELECT word FROM words WHERE kind = 'band' AND number = band) AS band,
 kernel_stack, user_stack, count, last_ns
FROM all_sums WHERE slice_first < slice_last
UNION ALL
SELECT slices.id, thread, (SELECT word FROM words WHERE kind = 'state' AND number = state) AS state,
 coalesce((SELECT word FROM words WHERE kind = 'task_state' AND number = letter), letter) AS task_state,
 (SELECT word FROM words WHERE kind = 'band' AND number = band) AS band,
 kernel_stack, user_stack, 0,
 max(count, 1) * (SELECT value FROM meta WHERE key = 'slice_ns')
FROM all_sums JOIN slices ON slices.id > slice_first AND slices.id < slice_last
WHERE slice_last - slice_first > 1;

CREATE VIEW stack_frames AS -- every stack, frame by frame; position 1 is the root
WITH RECURSIVE walk(stack, node, up) AS (
 SELECT id, id, 0 FROM stacks
 UNION ALL
 SELECT w.stack, s.parent, w.up + 1 FROM walk w JOIN stacks s ON s.id = w.node
 WHERE s.parent <> 0 AND w.up < 4096
)
SELECT w.stack, count(*) OVER (PARTITION BY w.stack) - w.up AS position,
 n.function, n.object, s.frame
FROM walk w JOIN stacks s ON s.id = w.node JOIN frame_names n ON n.frame = s.frame;

CREATE VIEW chain_texts AS -- each chain as one line, the direct waker first
SELECT c.id AS chain, c.hop_count, (SELECT word FROM words WHERE kind = 'chain_end' AND number = c.chain_end) AS chain_end,
 coalesce((SELECT group_concat(hop, ' < ') FROM (
  SELECT CASE WHEN h.is_metal THEN rtrim('[' || h.kind || ' ' || h.name) || ']'
   ELSE h.name END AS hop FROM hop_words h WHERE h.chain = c.id ORDER BY h.position)), '')
 || CASE WHEN (SELECT word FROM words WHERE kind = 'chain_end' AND number = c.chain_end) IN ('metal', 'awake') THEN ''
   ELSE CASE WHEN c.hop_count THEN ' < [' ELSE '[' END || (SELECT word FROM words WHERE kind = 'chain_end' AND number = c.chain_end) || ']' END AS wakers
FROM chains c;

CREATE VIEW hop_words AS -- hops with words for numbers
SELECT chain, position, (SELECT word FROM words WHERE kind = 'hop_kind' AND number = h.kind) AS kind, name,
 (SELECT word FROM words WHERE kind = 'hop_kind' AND number = h.kind) IN ('irq', 'softirq', 'timer', 'ipi', 'disk') AS is_metal,
 coalesce((SELECT n.function FROM stacks k JOIN frame_names n ON n.frame = k.frame
  WHERE k.id = h.kernel_stack),
 (SELECT word FROM words WHERE kind = 'no_stack' AND number = h.kernel_stack)) AS kernel_function,
 coalesce((SELECT n.function FROM stacks k JOIN frame_names n ON n.frame = k.frame
  WHERE k.id = h.user_stack),
 (SELECT word FROM words WHERE kind = 'no_stack' AND number = h.user_stack)) AS user_function,
 coalesce((SELECT n.function FROM stacks k JOIN frame_names n ON n.frame = k.frame
  WHERE k.id = h.waited_stack),
 (SELECT word FROM words WHERE kind = 'no_stack' AND number = h.waited_stack)) AS waited_function,
 coalesce((SELECT n.function FROM stacks k JOIN frame_names n ON n.frame = k.frame
  WHERE k.id = h.waited_user_stack),
 (SELECT word FROM words WHERE kind = 'no_stack' AND number = h.waited_user_stack)) AS waited_user_function
FROM hops h;

CREATE VIEW wait_chains AS -- blocked time by thread, kernel stack and chain
SELECT s.thread, t.tid, t.comm, coalesce((SELECT n.function FROM stacks k JOIN frame_names n ON n.frame = k.frame
  WHERE k.id = s.kernel_stack),
 (SELECT word FROM words WHERE kind = 'no_stack' AND number = s.kernel_stack)) AS kernel_function,
 coalesce(c.wakers, '') AS wakers, coalesce(c.chain_end, '') AS chain_end,
 s.count, s.total_ns, s.max_ns, s.chain
FROM (SELECT thread, kernel_stack, chain, sum(count) AS count, sum(ns) AS total_ns,
  max(max_ns) AS max_ns FROM all_sums WHERE state = (SELECT number FROM words WHERE kind = 'state' AND word = 'blocked')
  GROUP BY thread, kernel_stack, chain) s
JOIN threads t ON t.id = s.thread LEFT JOIN chain_texts c ON c.chain = s.chain;

CREATE VIEW causes AS -- what each thread's wakers did while it was blocked
SELECT s.thread, t.tid, t.comm, e.position, h.kind, h.name, h.waited_function,
 sum(e.ran_ns) AS ran_ns, sum(e.no_cpu_ns) AS no_cpu_ns, sum(e.earlier_ns) AS earlier_ns
FROM shares e JOIN sums s ON s.id = e.sum JOIN threads t ON t.id = s.thread
JOIN hop_words h ON h.chain = s.chain AND h.position = e.position
GROUP BY s.thread, e.position, h.kind, h.name, h.waited_function;
