/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The statements that make a recording, schema.sql, inside the program. */
	.section .rodata

	.global schema_sql
	.type schema_sql, %object
schema_sql:
	.incbin "src/recording/schema.sql"
	.byte 0
	.size schema_sql, . - schema_sql

	.section .note.GNU-stack, "", %progbits
