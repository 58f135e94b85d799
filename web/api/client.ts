import createClient from 'openapi-fetch';
import type { paths } from './schema.ts';

/** What the gateway answered instead of what was asked for. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: string | undefined;
  readonly detail: string | undefined;
  readonly requestId: string | undefined;
  /** Of a log-in that a password alone does not complete. */
  readonly secondFactor: ErrorBody['second_factor'];

  constructor(status: number, body: unknown) {
    const { error, request_id: requestId, second_factor: secondFactor } = (body ?? {}) as ErrorBody;
    super(error?.message ?? `the gateway answered ${status}`);
    this.name = 'ApiError';
    this.status = status;
    this.code = error?.code ?? undefined;
    this.detail = error?.detail;
    this.requestId = requestId;
    this.secondFactor = secondFactor;
  }
}

interface ErrorBody {
  readonly error?: { readonly message?: string; readonly code?: string | null; readonly detail?: string };
  readonly request_id?: string;
  readonly second_factor?: { readonly challenge_id: string; readonly options: object };
}

export const api = createClient<paths>({ baseUrl: '', credentials: 'same-origin' });

interface Outcome<Data> {
  readonly data?: Data | undefined;
  readonly error?: unknown;
  readonly response: Response;
}

/** The data, or an error that a page can show. */
export async function told<Data>(asked: Promise<Outcome<Data>>): Promise<Data> {
  const { data, error, response } = await asked;
  if (!response.ok) throw new ApiError(response.status, error);
  return data as Data;
}
