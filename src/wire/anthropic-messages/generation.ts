/** What a model can be asked for: a Claude by its generation, the newest where its name has no number. */
export interface Generation {
  readonly thinks: 'never' | 'by budget' | 'by effort';
  /** The highest level of effort besides `max`. */
  readonly topEffort: 'high' | 'xhigh';
  /** Whether temperature and its kin may be set. */
  readonly samples: boolean;
  /** Whether a system message may stand in mid-conversation. */
  readonly systemAnywhere: boolean;
}

export function generationOf(model: string): Generation {
  if (!model.includes('claude')) return otherMaker;
  const number = numberOf(model);
  return {
    thinks: number < 307 ? 'never' : number < 406 ? 'by budget' : 'by effort',
    topEffort: number < 407 ? 'high' : 'xhigh',
    samples: number < 407,
    systemAnywhere: number >= 408,
  };
}

/** Models of others that are served in this format. */
const otherMaker: Generation = {
  thinks: 'by budget',
  topEffort: 'high',
  samples: true,
  systemAnywhere: false,
};

/** `claude-3-7-sonnet-20250219` is 307, `claude-opus-4-20250514` is 400, `claude-opus-4-8` is 408. */
function numberOf(model: string): number {
  const found = /claude-(?:[a-z]+-)?(\d+)(?:[-.](\d{1,2}))?(?!\d)/.exec(model);
  if (found === null) return Number.POSITIVE_INFINITY;
  return Number(found[1]) * 100 + Number(found[2] ?? 0);
}
