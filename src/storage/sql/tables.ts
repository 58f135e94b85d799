import type { AccountTables } from './tables/accounts.ts';
import type { AlertTables } from './tables/alerts.ts';
import type { AuditTables } from './tables/audit.ts';
import type { BillingTables } from './tables/billing.ts';
import type { ImportTables } from './tables/imports.ts';
import type { McpTables } from './tables/mcp.ts';
import type { ModuleTables } from './tables/modules.ts';
import type { OwnBatchTables } from './tables/own-batches.ts';
import type { PatternTables } from './tables/patterns.ts';
import type { PaymentTables } from './tables/payments.ts';
import type { PromptTables } from './tables/prompts.ts';
import type { ReceiptTables } from './tables/receipts.ts';
import type { RecordingTables } from './tables/recordings.ts';
import type { RequestTables } from './tables/requests.ts';
import type { RetentionTables } from './tables/retention.ts';
import type { SandboxTables } from './tables/sandbox.ts';
import type { ScimTables } from './tables/scim.ts';
import type { SignOnTables } from './tables/sign-on.ts';
import type { UsageTables } from './tables/usage.ts';

/** All tables after the last migration, by topic. Times are Unix milliseconds. */
export interface Tables
  extends AccountTables,
    AlertTables,
    AuditTables,
    ImportTables,
    UsageTables,
    RequestTables,
    RetentionTables,
    ModuleTables,
    OwnBatchTables,
    PatternTables,
    SandboxTables,
    ScimTables,
    SignOnTables,
    McpTables,
    PromptTables,
    ReceiptTables,
    RecordingTables,
    PaymentTables,
    BillingTables {
  readonly schema_migrations: {
    readonly version: number;
    readonly name: string;
  };
  /** Counts of calls and money, if PostgreSQL has them. */
  readonly shared_documents: {
    readonly name: string;
    readonly revision: string;
    readonly value: string;
    readonly until_ms: number;
  };
  readonly gateway_processes: {
    readonly id: string;
    readonly host: string;
    readonly pid: number;
    readonly version: string;
    readonly revision: string;
    readonly started_at_ms: number;
    readonly seen_at_ms: number;
    /** Null for processes of earlier versions. */
    readonly configuration: string | null;
  };
  /** Leases for tasks that only one replica should run. */
  readonly leases: {
    readonly name: string;
    readonly holder: string;
    readonly until_ms: number;
  };
}

/** The only table that migrations may rely on. */
export type SchemaTables = Pick<Tables, 'schema_migrations'>;
