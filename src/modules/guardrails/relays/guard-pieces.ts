import { GatewayError, type Kit } from '../../../module-api.ts';
import type { Finding } from '../finding.ts';
import type { GuardrailsOptions } from '../options.ts';
import type { Policy } from '../policy.ts';
import { anonymousPlaceholder } from '../redaction/placeholders.ts';
import { reportFindings } from '../request-findings.ts';

export interface AnswerGuard {
  readonly policy: Policy;
  readonly kit: Kit<GuardrailsOptions>;
  /** Puts values back in place of their placeholders. */
  readonly restore?: ((text: string) => string) | undefined;
}

/** A range of a text that a piece stands for, and the blanks around it in the piece. */
interface Place {
  readonly start: number;
  readonly end: number;
  readonly before: string;
  readonly after: string;
}

interface PlacedPieces {
  readonly text: string;
  readonly places: readonly Place[];
}

/** The text as the client may have it. Findings are sought before values are put back, so that the client's own are none. */
export function guardText(text: string, guard: AnswerGuard): string {
  const [guarded = text] = guardPieces([text], text, guard);
  return guarded;
}

/**
 * The same for pieces of a text, such as its words, with findings that go over several of them. The first piece of a finding gets its
 * placeholder. `whole` is the text that they are pieces of, if it is known: it has the marks and blanks that words have lost.
 */
export function guardPieces(
  pieces: readonly string[],
  whole: string | undefined,
  { policy, kit, restore = (same) => same }: AnswerGuard,
): readonly string[] {
  const { text, places } = (whole === undefined ? undefined : locate(pieces, whole)) ?? join(pieces);
  const findings = policy.isIdle ? [] : policy.find(text);
  const met = new Set<Finding>();
  let first = 0;
  const guarded = places.map(({ start, end, before, after }) => {
    let piece = '';
    let at = start;
    while (first < findings.length && (findings[first]?.end ?? 0) <= start) first++;
    for (let next = first; next < findings.length; next++) {
      const finding = findings[next];
      if (finding === undefined || finding.start >= end) break;
      const isFirst = !met.has(finding);
      met.add(finding);
      if (policy.actionFor(finding.kind) !== 'redact') continue;
      piece += restore(text.slice(at, Math.max(at, finding.start)));
      if (isFirst) piece += policy.replacementFor(finding.kind) ?? anonymousPlaceholder(finding.kind);
      at = Math.min(finding.end, end);
    }
    piece += restore(text.slice(at, end));
    return piece === '' && start < end ? '' : before + piece + after;
  });
  reportFindings([...met], 'output.', kit);
  const blocked = policy.blocking([...met]);
  if (blocked !== undefined) throw blockedAnswerError(blocked.kind);
  return guarded;
}

/** Undefined if a piece is not in the text behind the one before it. */
function locate(pieces: readonly string[], text: string): PlacedPieces | undefined {
  const places: Place[] = [];
  let at = 0;
  for (const piece of pieces) {
    const { before, core, after } = withoutBlanks(piece);
    const start = text.indexOf(core, at);
    if (start < 0) return undefined;
    at = start + core.length;
    places.push({ start, end: at, before, after });
  }
  return { text, places };
}

/** The pieces with a blank between two that have none. */
function join(pieces: readonly string[]): PlacedPieces {
  let text = '';
  const places = pieces.map((piece) => {
    const { before, core, after } = withoutBlanks(piece);
    if (text !== '') text += ' ';
    const start = text.length;
    text += core;
    return { start, end: text.length, before, after };
  });
  return { text, places };
}

function withoutBlanks(piece: string): {
  readonly before: string;
  readonly core: string;
  readonly after: string;
} {
  const trimmed = piece.trimStart();
  const core = trimmed.trimEnd();
  return {
    before: piece.slice(0, piece.length - trimmed.length),
    core,
    after: trimmed.slice(core.length),
  };
}

function blockedAnswerError(kind: string): GatewayError {
  return new GatewayError('blocked_by_module', `guardrails: the answer has ${kind}, which is not allowed`, {
    detail: kind,
    shouldRetry: false,
  });
}
