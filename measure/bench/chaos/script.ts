/** How a scripted provider treats its calls. */
export interface Behaviour {
  /** Milliseconds until the first content. */
  readonly firstContentMs: number;
  /** The share of calls that meet the fault. */
  readonly faultShare: number;
  readonly fault: Fault;
}

export type Fault =
  | { readonly kind: 'status'; readonly status: number; readonly retryAfterSeconds?: number }
  /** The connection is closed without a response. */
  | { readonly kind: 'closed' }
  /** Nothing is sent. */
  | { readonly kind: 'silence' }
  /** The stream breaks off before or after its first content. */
  | { readonly kind: 'cut'; readonly afterContent: boolean };

/** A part of the script, which a new gateway meets after a moment of health. */
export interface Phase {
  readonly name: string;
  /** By position of the provider; the others are healthy. */
  readonly behaviours: readonly (Partial<Behaviour> | undefined)[];
}

export const healthy: Behaviour = {
  firstContentMs: 20,
  faultShare: 0,
  fault: { kind: 'status', status: 500 },
};

const always = (fault: Fault) => ({ faultShare: 1, fault });
const brownOut = (faultShare: number): Partial<Behaviour> => ({
  faultShare,
  fault: { kind: 'status', status: 503 },
});

/** Three providers, the first of them preferred. At least one is always healthy. */
export const phases: readonly Phase[] = [
  { name: 'all healthy', behaviours: [] },
  { name: 'first refuses connections', behaviours: [always({ kind: 'closed' })] },
  { name: 'brown-out, 1 %', behaviours: [brownOut(0.01)] },
  { name: 'brown-out, 10 %', behaviours: [brownOut(0.1)] },
  { name: 'brown-out, 50 %', behaviours: [brownOut(0.5)] },
  { name: '429 without retry-after', behaviours: [always({ kind: 'status', status: 429 })] },
  {
    name: '429 with retry-after',
    behaviours: [{ faultShare: 0.3, fault: { kind: 'status', status: 429, retryAfterSeconds: 2 } }],
  },
  { name: 'slow start', behaviours: [{ firstContentMs: 400 }] },
  { name: 'silence', behaviours: [{ faultShare: 0.5, fault: { kind: 'silence' } }] },
  {
    name: 'cut before the first token',
    behaviours: [{ faultShare: 0.3, fault: { kind: 'cut', afterContent: false } }],
  },
  {
    name: 'cut after the first token',
    behaviours: [{ faultShare: 0.05, fault: { kind: 'cut', afterContent: true } }],
  },
  { name: 'key revoked', behaviours: [always({ kind: 'status', status: 401 })] },
  {
    name: 'first and second down',
    behaviours: [always({ kind: 'status', status: 500 }), always({ kind: 'closed' })],
  },
  // Two providers in the same region: connections hang, and what gets through is answered with 503.
  {
    name: 'region down',
    behaviours: [{ faultShare: 1, fault: { kind: 'silence' } }, always({ kind: 'status', status: 503 })],
  },
];
