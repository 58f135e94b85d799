import type { KeyActivity } from '../../../src/kernel/ports/key-activity.ts';
import { Random } from './random.ts';

/** How much the life of keys varies; an evaluation varies these, too. */
export interface Nature {
  /** Factors of noise, bursts and daily cycles. */
  readonly noise: number;
  readonly bursts: number;
  readonly cycle: number;
  /** Outages of the provider per month. */
  readonly outages: number;
  /** Growth per month, at most. */
  readonly growth: number;
  /** Jobs start this many minutes early or late. */
  readonly jitterMinutes: number;
  /** Calls per minute, at most. */
  readonly rateMax: number;
}

export const usualNature: Nature = {
  noise: 1,
  bursts: 1,
  cycle: 1,
  outages: 1.5,
  growth: 0.4,
  jitterMinutes: 6,
  rateMax: 60,
};

const keyKinds = [
  'service',
  'chat',
  'agents',
  'batch',
  'mixed',
  'sparse',
  'waking',
  'around-the-clock',
] as const;
export type KeyKind = (typeof keyKinds)[number];

/** What an account has in common: its people, holidays and provider. */
export interface AccountLife {
  readonly holidays: ReadonlySet<number>;
  /** Hours from UTC. */
  readonly zone: number;
  readonly outages: readonly { readonly from: number; readonly to: number; readonly share: number }[];
}

export const binsPerDay = 288;

/** Calls of one key, in bins of five minutes. */
export class SimulatedKey {
  readonly kind: KeyKind;
  readonly fromBin: number;
  readonly #random: Random;
  readonly #nature: Nature;
  readonly #life: AccountLife;
  readonly #rate: number;
  readonly #cycle: number;
  readonly #weekend: number;
  readonly #peakHour: number;
  readonly #sigma: number;
  readonly #persistence: number;
  readonly #costSigma: number;
  #cost: number;
  #errors: number;
  #cached: number;
  #prompt: number;
  readonly #promptTokens: number;
  readonly #growthPerDay: number;
  readonly #jobs: readonly Job[];
  #level = 0;
  #errorLevel = 0;
  #promptLevel = 0;
  #sessions: { left: number; rate: number; cost: number }[] = [];
  #jobsRunning: { left: number; rate: number }[] = [];
  #changes: readonly {
    readonly at: number;
    readonly kind: 'model' | 'prompt' | 'release';
    readonly factor: number;
  }[];

  constructor(
    kind: KeyKind,
    random: Random,
    { nature, life, bins }: { nature: Nature; life: AccountLife; bins: number },
  ) {
    this.kind = kind;
    this.#random = random;
    this.#nature = nature;
    this.#life = life;
    this.fromBin = random.isLikely(0.12) ? Math.floor(random.uniform() * bins * 0.7) : 0;
    this.#rate = kind === 'sparse' ? random.scaled(0.002, 0.05) : random.scaled(0.3, nature.rateMax);
    this.#cycle =
      kind === 'around-the-clock'
        ? random.between(0, 0.25)
        : Math.min(0.97, nature.cycle * random.between(0.5, 0.95));
    this.#weekend = kind === 'around-the-clock' ? random.between(0.8, 1.1) : random.between(0.08, 0.8);
    this.#peakHour = random.between(11, 16);

    this.#sigma = nature.noise * random.between(0.05, 0.3);
    this.#persistence = random.between(0.6, 0.97);
    this.#costSigma = random.between(0.4, 1.4);
    this.#cost = random.scaled(0.0005, 0.08);
    this.#errors = random.scaled(0.002, 0.06);
    this.#cached = random.isLikely(0.35) ? random.between(0.05, 0.7) : 0;
    this.#prompt = random.isLikely(0.6) ? random.between(0.2, 0.95) : 0;
    this.#promptTokens = random.scaled(500, 40_000);
    this.#growthPerDay = random.between(-0.1, nature.growth) / 30;
    this.#jobs = kind === 'batch' || kind === 'mixed' ? this.#drawJobs() : [];
    const changes = random.poisson((2.5 * bins) / binsPerDay / 30);
    this.#changes = Array.from({ length: changes }, () => ({
      at: Math.floor(random.uniform() * bins),
      kind: random.pick(['model', 'prompt', 'release'] as const),
      factor: random.scaled(0.5, 1.7),
    }));
  }

  #drawJobs(): readonly Job[] {
    const random = this.#random;
    return Array.from({ length: 1 + Math.floor(random.uniform() * 3) }, () => ({
      every: random.pick(['day', 'day', 'week', 'hour', 'weekday'] as const),
      at: Math.floor(random.uniform() * 24) * 12 + Math.floor(random.uniform() * 4) * 3,
      weekday: Math.floor(random.uniform() * 7),
      bins: 2 + random.exponential(10),
      sigma: this.#nature.noise * random.between(0.05, 0.4),
      size: random.scaled(0.5, 6),
    }));
  }

  /** Calls per minute that are expected where nothing bursts; for saying whether anything can be told. */
  usualRate(bin: number): number {
    const day = Math.floor(bin / binsPerDay);
    const hour = ((((bin % binsPerDay) / 12 + this.#life.zone) % 24) + 24) % 24;
    const weekday = (day + 4) % 7;
    const distance = Math.min(Math.abs(hour - this.#peakHour), 24 - Math.abs(hour - this.#peakHour));
    const shape = 1 - this.#cycle / (1 + Math.exp(-(distance - 5.5) * 1.1));
    const isFree = weekday >= 5 || this.#life.holidays.has(day);
    return this.#rate * shape * (isFree ? this.#weekend : 1) * Math.max(0.3, 1 + this.#growthPerDay * day);
  }

  /**
   * How much 20 minutes vary by themselves, as a standard deviation of the logarithm; undefined for keys of bursts and jobs, of
   * whose spending nothing can be told, and for shares that are zero.
   */
  spreadOf(
    what: 'calls' | 'cost' | 'errors' | 'cache_hits' | 'prompt_cache',
    bins: readonly (KeyActivity | undefined)[],
  ): number | undefined {
    const calls = bins.reduce((sum, activity) => sum + (activity?.calls ?? 0), 0);
    const noise = this.#nature.noise;
    switch (what) {
      case 'calls':
      case 'cost':
        return ['service', 'around-the-clock', 'chat', 'sparse'].includes(this.kind) && calls > 0
          ? Math.sqrt(this.#sigma ** 2 + Math.exp(this.#costSigma ** 2) / calls)
          : undefined;
      case 'errors':
        return calls === 0 ? undefined : Math.sqrt((0.35 * noise) ** 2 + 1 / (calls * this.#errors));
      case 'cache_hits':
        return this.#cached * calls === 0 ? undefined : Math.sqrt(3 / (calls * this.#cached));
      case 'prompt_cache':
        return this.#prompt * calls === 0
          ? undefined
          : Math.sqrt((0.3 * noise * (1 - this.#prompt)) ** 2 + 3 / (calls * this.#prompt));
    }
  }

  next(bin: number): KeyActivity | undefined {
    if (bin < this.fromBin) return undefined;
    for (const change of this.#changes) if (change.at === bin) this.#change(change);
    const random = this.#random;
    this.#level = this.#persistence * this.#level + Math.sqrt(1 - this.#persistence ** 2) * random.normal();
    this.#errorLevel = 0.97 * this.#errorLevel + 0.243 * random.normal();
    this.#promptLevel = 0.95 * this.#promptLevel + 0.312 * random.normal();
    const { rate, costFactor } = this.#demand(bin);
    const outage = this.#life.outages.find(({ from, to }) => bin >= from && bin < to);
    const calls = random.poisson(rate * 5 * (outage === undefined ? 1 : 1 + 0.4 * outage.share));
    if (calls === 0) return undefined;
    let errorShare = Math.min(0.9, this.#errors * Math.exp(0.35 * this.#nature.noise * this.#errorLevel));
    if (outage !== undefined) errorShare = Math.max(errorShare, outage.share);
    const failed = random.binomial(calls, errorShare);
    const cached = random.binomial(calls - failed, this.#cached);
    const sent = calls - failed - cached;
    const logit = Math.log(this.#prompt / (1 - this.#prompt)) + 0.3 * this.#nature.noise * this.#promptLevel;
    const read = this.#prompt === 0 ? 0 : 1 / (1 + Math.exp(-logit));
    const tokens = sent === 0 ? 0 : this.#promptTokens * random.sumOfLogNormals(sent, this.#costSigma);
    return {
      calls,
      failed,
      cached,
      promptTokens: Math.round(tokens),
      cacheReadTokens:
        Math.round(
          tokens * Math.min(1, Math.max(0, read + (0.15 * random.normal()) / Math.sqrt(sent + 1))),
        ) || 0,
      costNanoUsd: Math.round(
        1e9 * this.#cost * costFactor * (sent === 0 ? 0 : random.sumOfLogNormals(sent, this.#costSigma)),
      ),
    };
  }

  #change({
    kind,
    factor,
  }: {
    readonly kind: 'model' | 'prompt' | 'release';
    readonly factor: number;
  }): void {
    if (kind === 'model') this.#cost *= factor;
    if (kind === 'prompt') this.#prompt = Math.min(0.95, this.#prompt * Math.sqrt(factor));
    if (kind === 'release') this.#errors = Math.min(0.1, this.#errors * factor);
  }

  /** Calls per minute, and what they cost compared with others. */
  #demand(bin: number): { rate: number; costFactor: number } {
    const random = this.#random;
    const usual = this.usualRate(bin) * Math.exp(this.#sigma * this.#level - this.#sigma ** 2 / 2);
    switch (this.kind) {
      case 'agents':
        return this.#agents(usual);
      case 'batch':
        return { rate: this.#batch(bin), costFactor: 1 };
      case 'mixed':
        return { rate: usual + this.#batch(bin), costFactor: 1 };
      case 'waking': {
        const isAwake = Math.floor(bin / (binsPerDay * 6)) % 4 === 3;
        return { rate: isAwake ? usual : 0, costFactor: 1 };
      }
      case 'chat':
        // Some people talk more than others, for a while.
        return {
          rate: usual * (1 + 0.3 * this.#nature.bursts * Math.max(0, random.normal())),
          costFactor: 1,
        };
      default:
        return { rate: usual, costFactor: 1 };
    }
  }

  #agents(usual: number): { rate: number; costFactor: number } {
    const random = this.#random;
    const started = random.poisson(usual * 0.06);
    for (let at = 0; at < started; at++)
      this.#sessions.push({
        left: 1 + random.logNormal(0.9) * 8,
        rate: random.between(1, 6) * Math.min(12, random.pareto(2.2)) * this.#nature.bursts,
        cost: Math.min(8, random.pareto(2.5)),
      });
    let rate = 0;
    let cost = 0;
    for (const session of this.#sessions) {
      session.left--;
      rate += session.rate;
      cost += session.rate * session.cost;
    }
    this.#sessions = this.#sessions.filter(({ left }) => left > 0);
    return { rate, costFactor: rate === 0 ? 1 : cost / rate };
  }

  #batch(bin: number): number {
    const random = this.#random;
    const weekday = Math.floor(bin / binsPerDay + 4) % 7;
    const ofDay = bin % binsPerDay;
    for (const job of this.#jobs) {
      const isDue =
        (job.every === 'hour' ? bin % 12 === job.at % 12 : ofDay === job.at) &&
        (job.every !== 'week' || weekday === job.weekday) &&
        (job.every !== 'weekday' || weekday < 5);
      if (!isDue) continue;
      const late = Math.round(Math.abs(random.normal() * this.#nature.jitterMinutes) / 5);
      this.#jobsRunning.push({
        left: (job.every === 'hour' ? Math.min(5, job.bins) : job.bins) * random.logNormal(job.sigma) + late,
        rate: this.#rate * job.size * random.logNormal(job.sigma),
      });
    }
    let rate = 0;
    for (const job of this.#jobsRunning) {
      job.left--;
      rate += job.rate;
    }
    this.#jobsRunning = this.#jobsRunning.filter(({ left }) => left > 0);
    return rate;
  }
}

interface Job {
  readonly every: 'day' | 'week' | 'hour' | 'weekday';
  readonly at: number;
  readonly weekday: number;
  readonly bins: number;
  readonly sigma: number;
  readonly size: number;
}

/** The keys of an account. */
export function simulateAccount(seed: number, nature: Nature, days: number) {
  const random = new Random(seed);
  const bins = days * binsPerDay;
  const outages = Array.from({ length: random.poisson((nature.outages * days) / 30) }, () => {
    const from = Math.floor(random.uniform() * bins);
    return { from, to: from + 1 + Math.floor(random.exponential(5)), share: random.between(0.2, 1) };
  });
  const holidays = new Set<number>();
  for (let count = random.poisson(days / 25); count > 0; count--) {
    const first = Math.floor(random.uniform() * days);
    for (let day = first; day < first + 1 + Math.floor(random.exponential(1.2)); day++) holidays.add(day);
  }
  const life = { holidays, zone: Math.floor(random.between(-8, 10)), outages };
  const count = 2 + Math.floor(random.uniform() * 5);
  const keys = Array.from(
    { length: count },
    () =>
      new SimulatedKey(random.pick(keyKinds), new Random(Math.floor(random.uniform() * 2 ** 31)), {
        nature,
        life,
        bins,
      }),
  );
  return { life, keys };
}
