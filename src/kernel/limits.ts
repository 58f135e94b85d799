import { accountsLimits } from './limits/accounts.ts';
import { archiveLimits } from './limits/archive.ts';
import { billingLimits } from './limits/billing.ts';
import { callsLimits } from './limits/calls.ts';
import { conversationsLimits } from './limits/conversations.ts';
import { embeddingsLimits } from './limits/embeddings.ts';
import { logLimits } from './limits/log.ts';
import { modulesLimits } from './limits/modules.ts';
import { patternsLimits } from './limits/patterns.ts';
import { paymentsLimits } from './limits/payments.ts';
import { processLimits } from './limits/process.ts';
import { recordsLimits } from './limits/records.ts';
import { sandboxLimits } from './limits/sandbox.ts';
import { sharedLimits } from './limits/shared.ts';
import { tokensLimits } from './limits/tokens.ts';
import { workersLimits } from './limits/workers.ts';

/** All limits by area, with the unit in the name and the reason in the comment. */
export const limits = {
  ...callsLimits,
  ...modulesLimits,
  ...patternsLimits,
  ...embeddingsLimits,
  ...archiveLimits,
  ...conversationsLimits,
  ...tokensLimits,
  ...logLimits,
  ...accountsLimits,
  ...paymentsLimits,
  ...sandboxLimits,
  ...billingLimits,
  ...sharedLimits,
  ...recordsLimits,
  ...workersLimits,
  ...processLimits,
} as const;
