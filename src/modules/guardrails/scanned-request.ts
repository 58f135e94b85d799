import type { RequestText, TextPlace, UnscannedPart } from '../../module-api.ts';
import type { Finding } from './finding.ts';

/** A text of a request with what was found in it. */
export interface ScannedText extends RequestText {
  readonly findings: readonly Finding[];
}

export interface ScannedRequest {
  /** Each text once for every place that it is in. */
  readonly texts: readonly ScannedText[];
  readonly unscanned: readonly UnscannedPart[];
  /** Whether the provider stores earlier turns, whose values this request doesn't contain. */
  readonly refersToStored: boolean;
  findingsIn(text: string, place: TextPlace): readonly Finding[];
}
