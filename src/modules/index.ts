import type { ModuleFactory } from '../module-api.ts';
import { airgap } from './airgap/airgap.ts';
import { compactionBridge } from './compaction-bridge/compaction-bridge.ts';
import { costGuard } from './cost-guard/cost-guard.ts';
import { exactCache } from './exact-cache/exact-cache.ts';
import { guardrails } from './guardrails/guardrails.ts';
import { ipc } from './ipc/ipc.ts';
import { mcp } from './mcp/mcp.ts';
import { mcpOptimizer } from './mcp-optimizer/mcp-optimizer.ts';
import { patterns } from './patterns/patterns.ts';
import { promptOptimizer } from './prompt-optimizer/prompt-optimizer.ts';
import { rehydrator } from './rehydrator/rehydrator.ts';
import { router } from './router/router.ts';
import { semanticCache } from './semantic-cache/semantic-cache.ts';
import { toolCache } from './tool-cache/tool-cache.ts';

/** The modules that come with the gateway. */
export const builtInModules: readonly ModuleFactory[] = [
  exactCache,
  semanticCache,
  () => costGuard,
  mcp,
  mcpOptimizer,
  patterns,
  compactionBridge,
  ipc,
  rehydrator,
  router,
  guardrails,
  () => promptOptimizer,
  () => toolCache,
  () => airgap,
];

/** Modules that are to come, so that users can see what a name will mean. */
export const plannedModules: readonly { readonly name: string; readonly summary: string }[] = [
  { name: 'evals', summary: 'Judges answers against expectations.' },
  { name: 'replay', summary: 'Plays recorded conversations again.' },
  { name: 'branch', summary: 'Tries several continuations of a conversation.' },
  { name: 'pattern-sync', summary: 'Shares patterns between instances.' },
  { name: 'collective', summary: 'Shares patterns between users who opt in.' },
];
