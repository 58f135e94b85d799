import { api, told } from '../../api/client.ts';
import type { Receipt } from '../../api/queries.ts';

interface SandboxSession {
  readonly id: string;
  readonly token: string;
  readonly limit: number;
}

/** In memory only: a session lasts as long as its page, unless somebody signs up from it. */
let current: Promise<SandboxSession> | undefined;

export function sandboxSession(): Promise<SandboxSession> {
  current ??= told(api.POST('/v1/anon/sessions', { body: {} })).then(
    ({ session_id: id, anon_token: token, request_limit: limit }) => ({ id, token, limit }),
  );
  current.catch(() => {
    current = undefined;
  });
  return current;
}

export async function newestReceipt(): Promise<Receipt | undefined> {
  const { id, token } = await sandboxSession();
  const { receipts } = await told(
    api.GET('/v1/anon/sessions/{session_id}/receipts', {
      params: { path: { session_id: id } },
      headers: { authorization: `Bearer ${token}` },
    }),
  );
  return receipts.at(-1);
}

let claimed = 0;

/** The number of receipts that the account of this page got from the sandbox. */
export function claimedReceipts(): number {
  return claimed;
}

/** Makes the receipts of the sandbox the account's own. That takes an API key, which is created for it and revoked. */
export async function claimSandbox(): Promise<void> {
  if (current === undefined) return;
  const { id: sessionId } = await current;
  const name = 'Created and revoked to claim your sandbox receipts';
  const { id, key } = await told(api.POST('/v1/keys', { body: { name } }));
  const headers = { authorization: `Bearer ${key}` };
  try {
    const body = { session_id: sessionId };
    claimed = (await told(api.POST('/api/anon/claim', { body, headers }))).receipts;
    current = undefined;
  } finally {
    await api.DELETE('/v1/keys/{id}', { params: { path: { id } } });
  }
}
