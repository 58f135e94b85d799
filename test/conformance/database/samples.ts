import { randomBytes, randomUUID } from 'node:crypto';
import { type Identity, identityIdOf, type Member } from '../../../src/kernel/ports/identities.ts';
import type { McpGrant } from '../../../src/kernel/ports/mcp-authorization.ts';
import type { Challenge, LedgerLine } from '../../../src/kernel/ports/payments.ts';
import type { Project } from '../../../src/kernel/ports/projects.ts';
import type { OwnedReceipt } from '../../../src/kernel/ports/receipts.ts';
import type { Account, ApiKey, SealedKey, UsageDay } from '../../../src/kernel/ports/records.ts';
import type { LoggedCall } from '../../../src/kernel/ports/request-log.ts';
import type { NewAnonSession } from '../../../src/kernel/ports/sandbox.ts';
import type { Settlement } from '../../../src/kernel/ports/settlements.ts';
import { firstIdAt, timeOfId } from '../../../src/kernel/request-id.ts';
import type { Pattern } from '../../../src/modules/patterns/pattern.ts';

/** A person with an account of their own. */
export function someMember(given: Partial<Omit<Identity, 'id'>> & Partial<Omit<Account, 'id'>> = {}): Member {
  const id = randomUUID();
  const { tier = 'free', period, tierEndsMs, overage, ...person } = given;
  const identity: Identity = {
    id: identityIdOf(id),
    email: `${id}@example.com`,
    passwordHash: '$argon2id$',
    createdAtMs: 1_763_000_000_123,
    ...person,
  };
  const account: Account = {
    id,
    tier,
    period,
    ...(tierEndsMs !== undefined && { tierEndsMs }),
    ...(overage && { overage }),
  };
  return { identity, account, role: 'owner' };
}

export function someKey(accountId: string, given: Partial<ApiKey> = {}): ApiKey {
  return {
    id: randomUUID(),
    accountId,
    prefix: 'gw_live_abcd',
    hash: '$argon2id$',
    name: '',
    pipelineConfig: null,
    createdAtMs: 1_763_000_000_123,
    lastUsedAtMs: null,
    revokedAtMs: null,
    receipts: false,
    record: null,
    limits: undefined,
    access: undefined,
    owner: '',
    modulesSinceMs: {},
    projectId: null,
    ...given,
  };
}

export function someProject(accountId: string, name: string, createdAtMs = 1): Project {
  return { id: randomUUID(), accountId, name, createdAtMs, archivedAtMs: null };
}

export function someSealedKey(given: Partial<SealedKey> = {}): SealedKey {
  return {
    accountId: 'local',
    provider: 'openai',
    id: 'key-1',
    name: '',
    weight: 1,
    sealedBy: 'seal-1',
    sealed: Buffer.from('sealed'),
    hint: 'wxyz',
    updatedAtMs: 1_763_000_000_123,
    ...given,
  };
}

export function someDay(given: Partial<UsageDay> = {}): UsageDay {
  return {
    accountId: 'local',
    day: '2026-11-15',
    keyId: '',
    provider: 'openai',
    model: 'gpt-6',
    requests: 1,
    failed: 0,
    inputTokens: 10,
    outputTokens: 20,
    cacheReadTokens: 3,
    cacheWriteTokens: 4,
    costNanoUsd: 5,
    ...given,
  };
}

/** The id of a call that came at this time. */
export function someRequestId(atMs: number): string {
  return firstIdAt(atMs) + randomBytes(10).toString('hex');
}

export function someCall(given: Partial<LoggedCall> = {}): LoggedCall {
  const id = given.id ?? someRequestId(1_763_000_000_123);
  return {
    id,
    atMs: timeOfId(id),
    accountId: 'local',
    keyId: null,
    agent: null,
    client: null,
    conversation: null,
    parentConversation: null,
    turn: null,
    endUser: null,
    tags: {},
    units: null,
    weight: 1,
    askedBy: null,
    modelAsked: 'gpt-6',
    modelUsed: 'gpt-6',
    provider: 'openai',
    wire: 'openai-chat',
    providerWire: 'openai-chat',
    streamed: false,
    status: 200,
    ending: 'complete',
    errorCode: null,
    providerError: null,
    errorMessage: null,
    providerRequestId: null,
    stopReason: null,
    inputTokens: 10,
    outputTokens: 20,
    cacheReadTokens: 3,
    cacheWriteTokens: 4,
    reasoningTokens: 5,
    costNanoUsd: 6,
    costEstimated: false,
    savedNanoUsd: 0,
    contentMs: 12.345,
    totalMs: 67.89,
    overheadMs: 0.5,
    leftMs: 0.25,
    connectedMs: 0.5,
    headMs: 10.125,
    pipeline: 'none',
    steps: [],
    changes: [],
    attempts: [],
    ...given,
  };
}

export function someSession(given: Partial<NewAnonSession> = {}): NewAnonSession {
  return {
    id: randomUUID(),
    sessionRef: randomUUID(),
    tokenHash: randomUUID(),
    addressHash: 'hashed',
    requestLimit: 5,
    requestsUsed: 0,
    expiresAtMs: 1_763_000_000_123,
    revokedAtMs: null,
    ...given,
  };
}

export function someReceipt(given: Partial<OwnedReceipt> = {}): OwnedReceipt {
  return {
    id: `rcpt_${randomUUID()}`,
    sessionRef: 'ref',
    visibility: 'public_demo',
    createdAtMs: 1_763_000_000_123,
    jws: 'eyJ.eyJ.sig',
    accountId: null,
    ...given,
  };
}

export function someChallenge(given: Partial<Challenge> = {}): Challenge {
  return {
    id: `mpp_${randomUUID()}`,
    realm: 'weir.example',
    request: 'e30',
    digest: 'sha-256=:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=:',
    expiresAtMs: 1_763_000_000_123,
    consumedAtMs: null,
    ...given,
  };
}

export function someLine(given: Partial<LedgerLine> = {}): LedgerLine {
  return {
    id: randomUUID(),
    atMs: 1_763_000_000_123,
    route: 'POST /v1/agent/messages',
    amount: '5',
    currency: 'usd',
    receiptHash: 'e3b0c44298fc1c149afbf4c8996fb924',
    ...given,
  };
}

export function someSettlement(given: Partial<Settlement> = {}): Settlement {
  const challengeId = `mpp_${randomUUID()}`;
  return {
    id: `${challengeId}.1`,
    challengeId,
    attempt: 1,
    intent: null,
    atMs: 1_763_000_000_123,
    holder: 'one',
    untilMs: 1_763_000_000_123,
    ...given,
  };
}

export function somePattern(given: Partial<Pattern> = {}): Pattern {
  const id = given.id ?? `pat_${randomUUID()}`;
  return {
    id,
    trigger: { text: 'deploying', tools: ['deploy'], models: [] },
    advice: 'run the tests first',
    state: 'active',
    origin: 'person',
    scope: null,
    fingerprint: id,
    wins: 0,
    losses: 0,
    without: { wins: 0, losses: 0 },
    evidence: [],
    seenIn: [],
    wonIn: [],
    story: [],
    createdAtMs: 1_763_000_000_123,
    updatedAtMs: 1_763_000_000_123,
    ...given,
  };
}

export function someMcpGrant(given: Partial<McpGrant> = {}): McpGrant {
  return {
    accountId: 'local',
    personId: 'local',
    server: 'files',
    issuer: 'https://issuer.example',
    resource: 'https://files.example/mcp',
    clientId: 'client',
    tokens: { sealedBy: 'seal-1', sealed: Buffer.from('tokens') },
    scope: 'read write',
    wantedScope: undefined,
    expiresAtMs: undefined,
    version: '1',
    isEnded: false,
    createdAtMs: 10,
    updatedAtMs: 20,
    ...given,
  };
}
