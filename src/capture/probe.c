// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The order of the probe: rights first, because without them most tries fail for that reason alone;
 * then what the kernel has; then what makes recordings better; then the machine.
 */
#include "capture/probe.h"

#include <bpf/btf.h>
#include <bpf/libbpf.h>

#include "capture/probe_parts.h"

static int say_nothing(enum libbpf_print_level level, const char *format, va_list args)
{
	(void)level, (void)format, (void)args;
	return 0;
}

static void probe_clear(struct probe *probe)
{
	btf__free(probe->btf);
	free(probe->setcap);
}

int probe_require(struct why *why)
{
	struct facts facts = {0};
	struct probe probe = {.facts = &facts};
	libbpf_print_fn_t former = libbpf_set_print(say_nothing);
	int error;

	probe_rights_needed(&probe);
	probe_kernel_needed(&probe);
	error = facts_judge(&facts, why);
	probe_clear(&probe);
	facts_clear(&facts);
	libbpf_set_print(former);
	return error;
}

void probe_facts(uint64_t memory_bytes, struct facts *facts)
{
	struct probe probe = {.facts = facts};
	libbpf_print_fn_t former = libbpf_set_print(say_nothing);

	probe_rights_needed(&probe);
	probe_kernel_needed(&probe);
	probe_rights_helpful(&probe);
	probe_kernel_helpful(&probe);
	probe_settings(&probe);
	probe_memory(&probe, memory_bytes);
	probe_machine(&probe);
	probe_clear(&probe);
	libbpf_set_print(former);
}
