/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What is checked, by subject. */

#pragma once

#include "check.h"

void check_provider (Check *check);
void check_provider_calls (Check *check);
void check_services (Check *check);
void check_commands (Check *check);
void check_jobs (Check *check);
void check_files (Check *check);
void check_search (Check *check);
void check_archives (Check *check);
void check_uploads (Check *check);
void check_history_store (Check *check);

/* Prints what the provider and a transport of it say they can do. */
void check_report (Check *check);
