import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { constants, gzip } from 'node:zlib';
import { limits } from '../limits.ts';
import type { OtlpEncoding, PartialSuccess } from './encoding.ts';
import type { ExportSettings } from './settings.ts';

/** The collector will never accept this export. */
export class RejectedExportError extends Error {}

/** Sends a request to the collector, and rejects if there is no response. */
export type PostExport = (
  headers: Readonly<Record<string, string>>,
  body: Uint8Array,
) => Promise<ExportResponse>;

interface ExportResponse {
  readonly status: number;
  readonly retryAfter: string | undefined;
  readonly body: Uint8Array;
}

interface OtlpClientParts {
  readonly settings: Pick<ExportSettings, 'headers' | 'isCompressed'>;
  readonly encoding: Pick<OtlpEncoding, 'contentType' | 'readPartialSuccess'>;
  readonly post: PostExport;
  readonly userAgent: string;
}

/** Sends exports of one signal. An error other than `RejectedExportError` asks for a retry. */
export class OtlpClient {
  readonly #parts: OtlpClientParts;
  /** Set by a collector that asks to wait, on the performance clock. */
  #notBeforeMs = 0;

  constructor(parts: OtlpClientParts) {
    this.#parts = parts;
  }

  /** Resolves to what the collector did not accept, if that is so. */
  async send(body: Uint8Array): Promise<PartialSuccess | undefined> {
    const { settings, encoding, post, userAgent } = this.#parts;
    const waitMs = this.#notBeforeMs - performance.now();
    if (waitMs > 0) await sleep(waitMs, undefined, { ref: false });
    const headers = {
      'user-agent': userAgent,
      ...Object.fromEntries(settings.headers.map(([name, value]) => [name, value.reveal()])),
      'content-type': encoding.contentType,
      ...(settings.isCompressed && { 'content-encoding': 'gzip' }),
    };
    const response = await post(headers, settings.isCompressed ? await compress(body) : body).catch(
      (cause: unknown) => {
        throw isRefusal(cause) ? new RejectedExportError(cause.message, { cause }) : cause;
      },
    );
    const { status } = response;
    // The export is accepted, whatever becomes of the rest of the response.
    if (status >= 200 && status < 300) return encoding.readPartialSuccess(response.body);
    const message = `the collector answered ${status}`;
    if (!retriedStatuses.has(status)) throw new RejectedExportError(message);
    this.#notBeforeMs = performance.now() + retryAfterMs(response.retryAfter);
    throw new Error(message);
  }
}

/** The egress allows no connection there, as with `WEIR_AIRGAP`. */
function isRefusal(error: unknown): error is Error {
  return error instanceof Error && 'code' in error && refusals.has(String(error.code));
}

const refusals = new Set(['EGRESS_AIRGAP', 'EGRESS_NOT_ALLOWED', 'EGRESS_PRIVATE_ADDRESS']);

/** https://opentelemetry.io/docs/specs/otlp/#retryable-response-codes */
const retriedStatuses = new Set([429, 502, 503, 504]);

/** Most of the compression for a third of the time. */
function compress(body: Uint8Array): Promise<Uint8Array> {
  return promisify(gzip)(body, { level: constants.Z_BEST_SPEED });
}

/** Seconds or a date. */
function retryAfterMs(header: string | undefined): number {
  if (header === undefined) return 0;
  const ms = /^\d+$/.test(header) ? Number(header) * 1000 : Date.parse(header) - Date.now();
  return Math.min(Math.max(ms || 0, 0), limits.otlpRetryAfterMsMax);
}
