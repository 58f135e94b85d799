import type { RequestText, TextPlace, UnscannedPart } from '../../module-api.ts';
import type { Finding } from './finding.ts';
import { mergeFindings } from './merge-findings.ts';
import type { ModelFindings } from './model-scan.ts';

/** A text of a request with what was found in it. */
export interface ScannedText extends RequestText {
  readonly findings: readonly Finding[];
  /** Whether it tries to change the instructions of the model. */
  readonly isInjection?: boolean;
}

export interface ScannedRequest {
  /** Each text once for every place that it is in. */
  readonly texts: readonly ScannedText[];
  readonly unscanned: readonly UnscannedPart[];
  /** Whether the provider stores earlier turns, whose values this request doesn't contain. */
  readonly refersToStored: boolean;
  findingsIn(text: string, place: TextPlace): readonly Finding[];
}

/** The same with what the models found. */
export function withModelFindings(scanned: ScannedRequest, models: ModelFindings): ScannedRequest {
  const findingsIn = (text: string, place: TextPlace): readonly Finding[] =>
    mergeFindings(scanned.findingsIn(text, place), models.entitiesIn(text, place));
  return {
    ...scanned,
    texts: scanned.texts.map((text) => ({
      ...text,
      findings: findingsIn(text.text, text),
      isInjection: models.isInjection(text),
    })),
    findingsIn,
  };
}
