import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { constants, gzip } from 'node:zlib';
import type { EgressFetch } from '../../kernel/ports/fetch.ts';
import { limits } from '../limits.ts';
import type { OtlpEncoding, PartialSuccess } from './encoding.ts';
import type { ExportSettings } from './settings.ts';

/** The collector will never accept this export. */
export class RejectedExportError extends Error {}

interface OtlpClientParts {
  readonly settings: ExportSettings;
  readonly encoding: OtlpEncoding;
  readonly egressFetch: EgressFetch;
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
    const { settings, encoding, egressFetch, userAgent } = this.#parts;
    const waitMs = this.#notBeforeMs - performance.now();
    if (waitMs > 0) await sleep(waitMs, undefined, { ref: false });
    const response = await egressFetch(settings.url, {
      method: 'POST',
      headers: {
        'user-agent': userAgent,
        ...Object.fromEntries(settings.headers.map(([name, value]) => [name, value.reveal()])),
        'content-type': encoding.contentType,
        ...(settings.isCompressed && { 'content-encoding': 'gzip' }),
      },
      body: settings.isCompressed ? await compress(body) : body,
      timeoutMs: settings.timeoutMs,
      maxBytes: limits.otlpResponseBytesMax,
    }).catch((cause: unknown) => {
      throw isRefusal(cause) ? new RejectedExportError(cause.message, { cause }) : cause;
    });
    const { status } = response;
    if (status >= 200 && status < 300) {
      // The export is accepted, whatever becomes of the rest of the response.
      const content = await response.arrayBuffer().catch(() => new ArrayBuffer(0));
      return encoding.readPartialSuccess(new Uint8Array(content));
    }
    await response.body?.cancel();
    const message = `the collector answered ${status}`;
    if (!retriedStatuses.has(status)) throw new RejectedExportError(message);
    this.#notBeforeMs = performance.now() + retryAfterMs(response.headers.get('retry-after'));
    throw new Error(message);
  }
}

/** The egress allows no connection there, as with `WEIR_AIRGAP`, or the collector redirects. */
function isRefusal(error: unknown): error is Error {
  return error instanceof Error && 'code' in error && refusals.has(String(error.code));
}

const refusals = new Set([
  'EGRESS_AIRGAP',
  'EGRESS_NOT_ALLOWED',
  'EGRESS_PRIVATE_ADDRESS',
  'EGRESS_REDIRECT',
]);

/** https://opentelemetry.io/docs/specs/otlp/#retryable-response-codes */
const retriedStatuses = new Set([429, 502, 503, 504]);

/** Most of the compression for a third of the time. */
function compress(body: Uint8Array): Promise<Uint8Array> {
  return promisify(gzip)(body, { level: constants.Z_BEST_SPEED });
}

/** Seconds or a date. */
function retryAfterMs(header: string | null): number {
  if (header === null) return 0;
  const ms = /^\d+$/.test(header) ? Number(header) * 1000 : Date.parse(header) - Date.now();
  return Math.min(Math.max(ms || 0, 0), limits.otlpRetryAfterMsMax);
}
