import type { AccountTables } from './tables/accounts.ts';
import type { BillingTables } from './tables/billing.ts';
import type { ModuleTables } from './tables/modules.ts';
import type { PatternTables } from './tables/patterns.ts';
import type { PaymentTables } from './tables/payments.ts';
import type { ReceiptTables } from './tables/receipts.ts';
import type { RequestTables } from './tables/requests.ts';
import type { SandboxTables } from './tables/sandbox.ts';
import type { UsageTables } from './tables/usage.ts';

/** Every table as it is after the last migration, by what it is about. Times are milliseconds since 1970. */
export interface Tables
  extends AccountTables,
    UsageTables,
    RequestTables,
    ModuleTables,
    PatternTables,
    SandboxTables,
    ReceiptTables,
    PaymentTables,
    BillingTables {
  readonly schema_migrations: {
    readonly version: number;
    readonly name: string;
  };
  /** Who may do what only one of all replicas should do. */
  readonly leases: {
    readonly name: string;
    readonly holder: string;
    readonly until_ms: number;
  };
}

/** What a migration may count on; all else is for it to make or to change. */
export type SchemaTables = Pick<Tables, 'schema_migrations'>;
