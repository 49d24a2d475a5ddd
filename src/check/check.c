// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The order of the check: rights first, because without them most tries fail for that reason alone;
 * then what the kernel has; then what makes recordings better; then the machine.
 */
#include "check/check.h"

#include <bpf/btf.h>
#include <bpf/libbpf.h>

#include "check/check_parts.h"

static int say_nothing(enum libbpf_print_level level, const char *format, va_list args)
{
	(void)level, (void)format, (void)args;
	return 0;
}

static void check_clear(struct check *check)
{
	btf__free(check->btf);
	free(check->setcap);
}

int check_require(struct why *why)
{
	struct facts facts = {0};
	struct check check = {.facts = &facts};
	libbpf_print_fn_t former = libbpf_set_print(say_nothing);
	int error;

	check_rights_needed(&check);
	check_kernel_needed(&check);
	error = facts_judge(&facts, why);
	check_clear(&check);
	facts_clear(&facts);
	libbpf_set_print(former);
	return error;
}

void check_facts(uint64_t memory_bytes, struct facts *facts)
{
	struct check check = {.facts = facts};
	libbpf_print_fn_t former = libbpf_set_print(say_nothing);

	check_rights_needed(&check);
	check_kernel_needed(&check);
	check_rights_helpful(&check);
	check_kernel_helpful(&check);
	check_settings(&check);
	check_memory(&check, memory_bytes);
	check_machine(&check);
	check_clear(&check);
	libbpf_set_print(former);
}
