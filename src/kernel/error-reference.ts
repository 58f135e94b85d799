import { accountErrors } from './error-reference/accounts.ts';
import { billingErrors } from './error-reference/billing.ts';
import { costErrors } from './error-reference/costs.ts';
import { credentialErrors } from './error-reference/credentials.ts';
import { gatewayErrors } from './error-reference/gateway.ts';
import { mcpErrors } from './error-reference/mcp.ts';
import { modelErrors } from './error-reference/models.ts';
import { moduleErrors } from './error-reference/modules.ts';
import { providerErrors } from './error-reference/providers.ts';
import { requestErrors } from './error-reference/request.ts';
import { sandboxErrors } from './error-reference/sandbox.ts';
import type { ErrorCode } from './errors.ts';

/** Why an error occurs and what to do about it, in Markdown. */
export interface ErrorDescription {
  readonly cause: string;
  readonly remedy: string;
}

export type ErrorDescriptions = Readonly<Partial<Record<ErrorCode, ErrorDescription>>>;

/** The subjects of docs/reference/errors.md, in its order. */
export const errorSubjects: Readonly<Record<string, ErrorDescriptions>> = {
  'The request': requestErrors,
  'Credentials and access': credentialErrors,
  'Models and formats': modelErrors,
  'Modules and pipelines': moduleErrors,
  'Costs and quotas': costErrors,
  Providers: providerErrors,
  'MCP servers': mcpErrors,
  'Accounts and keys': accountErrors,
  'Billing and payments': billingErrors,
  Sandbox: sandboxErrors,
  'The gateway': gatewayErrors,
};

/** All descriptions. A code without one does not compile. */
export const errorReference: Readonly<Record<ErrorCode, ErrorDescription>> = {
  ...requestErrors,
  ...credentialErrors,
  ...modelErrors,
  ...moduleErrors,
  ...costErrors,
  ...providerErrors,
  ...mcpErrors,
  ...accountErrors,
  ...billingErrors,
  ...sandboxErrors,
  ...gatewayErrors,
};
