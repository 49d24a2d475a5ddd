// SPDX-License-Identifier: GPL-2.0-or-later
/* One pass over .symtab, in files that have Go's own table of functions. */
#include "elf/cfi/cfi_go.h"

#include <gelf.h>
#include <string.h>

#include "elf/file.h"
#include "elf/section.h"
#include "util/mem.h"

#define SUFFIX ".abi0" /* of functions in assembly */
/* Of 24 bytes each; the largest programs have some 300,000. */
#define MAX_SYMBOLS_BYTES (64ULL << 20)

/*
 * mcall() runs a function that never returns, on the thread's own stack; the others of its kind are
 * where a thread or a goroutine begins. systemstack() and its kind return to the goroutine, whose
 * stack is another one; those that ask for the time call the vdso there.
 */
static const struct {
	const char *name;
	struct unwind_rule rule;
} functions[] = {
	{"runtime.goexit", {.cfa_kind = UNWIND_CFA_STOP}},
	{"runtime.mstart", {.cfa_kind = UNWIND_CFA_STOP}},
	{"runtime.rt0_go", {.cfa_kind = UNWIND_CFA_STOP}},
	{"runtime.mcall", {.cfa_kind = UNWIND_CFA_SWITCH, .cfa_offset = UNWIND_SWITCH_FOR_EVER}},
	{"runtime.systemstack", {.cfa_kind = UNWIND_CFA_SWITCH}},
	{"runtime.asmcgocall", {.cfa_kind = UNWIND_CFA_SWITCH}},
	{"runtime.morestack", {.cfa_kind = UNWIND_CFA_SWITCH}},
	{"runtime.nanotime1", {.cfa_kind = UNWIND_CFA_SWITCH}},
	{"runtime.walltime", {.cfa_kind = UNWIND_CFA_SWITCH}},
	{"time.now", {.cfa_kind = UNWIND_CFA_SWITCH}},
	{"runtime.sigreturn", {.cfa_kind = UNWIND_CFA_SIGNAL}},
	{"runtime.sigreturn__sigaction", {.cfa_kind = UNWIND_CFA_SIGNAL}},
};

static const struct unwind_rule *find(const char *name)
{
	size_t length = strlen(name);

	if (length > strlen(SUFFIX) && !strcmp(name + length - strlen(SUFFIX), SUFFIX))
		length -= strlen(SUFFIX);
	for (size_t i = 0; i < ARRAY_SIZE(functions); i++)
		if (strlen(functions[i].name) == length && !memcmp(functions[i].name, name, length))
			return &functions[i].rule;
	return NULL;
}

static Elf_Scn *find_symbols(Elf *elf, GElf_Shdr *ret)
{
	Elf_Scn *section = NULL;

	while ((section = elf_nextscn(elf, section)))
		if (gelf_getshdr(section, ret) && ret->sh_type == SHT_SYMTAB)
			return section;
	return NULL;
}

size_t cfi_go_read(const struct elf_file *file, struct cfi_special ret[static CFI_GO_MAX])
{
	Elf *elf = elf_file_handle(file);
	GElf_Shdr header;
	size_t found = 0;

	/* The second name is that of position-independent programs. */
	if (!elf_section_exists(file, ".gopclntab") &&
		!elf_section_exists(file, ".data.rel.ro.gopclntab"))
		return 0;
	Elf_Scn *section = find_symbols(elf, &header);
	if (!section || header.sh_size > MAX_SYMBOLS_BYTES)
		return 0;
	Elf_Data *data = elf_getdata(section, NULL);
	size_t count = data && header.sh_entsize ? data->d_size / header.sh_entsize : 0;
	for (size_t i = 0; i < count && found < CFI_GO_MAX; i++) {
		GElf_Sym symbol;
		if (!gelf_getsym(data, (int)i, &symbol) ||
			GELF_ST_TYPE(symbol.st_info) != STT_FUNC || !symbol.st_value)
			continue;
		const char *name = elf_strptr(elf, header.sh_link, symbol.st_name);
		const struct unwind_rule *rule = name ? find(name) : NULL;
		if (rule)
			ret[found++] = (struct cfi_special){symbol.st_value, *rule};
	}
	return found;
}
