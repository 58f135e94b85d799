/** What a Claude model supports, by its generation; a name without a version counts as the newest. */
export interface ModelCapabilities {
  readonly thinkingControl: 'never' | 'by budget' | 'by effort';
  /** The highest effort level besides `max`. */
  readonly effortMax: 'high' | 'xhigh';
  /** Whether sampling parameters such as temperature are allowed. */
  readonly allowsSampling: boolean;
  /** Whether a system message may appear in mid-conversation. */
  readonly allowsMidConversationSystem: boolean;
  /** Whether a request may force the use of a tool. */
  readonly allowsForcedTools: boolean;
}

export function capabilitiesOf(model: string): ModelCapabilities {
  if (!model.includes('claude')) return otherVendorCapabilities;
  const number = versionOf(model);
  return {
    thinkingControl: number < 307 ? 'never' : number < 406 ? 'by budget' : 'by effort',
    effortMax: number < 407 ? 'high' : 'xhigh',
    allowsSampling: number < 407,
    allowsMidConversationSystem: number >= 408,
    // Models since Fable 5.1 reject it, except for Haiku: migration guides.
    allowsForcedTools: number <= 500 || model.includes('haiku'),
  };
}

/** Other vendors' models that are served in this format. */
const otherVendorCapabilities: ModelCapabilities = {
  thinkingControl: 'by budget',
  effortMax: 'high',
  allowsSampling: true,
  allowsMidConversationSystem: false,
  allowsForcedTools: true,
};

/** `claude-3-7-sonnet-20250219` is 307, `claude-opus-4-20250514` is 400, `claude-opus-4-8` is 408. */
function versionOf(model: string): number {
  const match = /claude-(?:[a-z]+-)?(\d+)(?:[-.](\d{1,2}))?(?!\d)/.exec(model);
  if (match === null) return Number.POSITIVE_INFINITY;
  return Number(match[1]) * 100 + Number(match[2] ?? 0);
}
