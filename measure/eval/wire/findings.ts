/** What came of sending recorded requests to models of other formats. */
export class Findings {
  readonly title: string;
  sent = 0;
  right = 0;
  readonly refused = new Map<string, number>();
  readonly excluded = new Map<string, number>();
  readonly #faults = new Map<string, Fault>();
  readonly #startedAtMs = performance.now();

  constructor(title: string) {
    this.title = title;
  }

  get failures(): number {
    return [...this.#faults.values()].reduce((sum, { places }) => sum + total(places), 0);
  }

  /** One request, judged; no faults where it went right. */
  judged(where: string, id: string, faults: readonly string[]): void {
    this.sent++;
    if (faults.length === 0) this.right++;
    for (const fault of new Set(faults)) {
      const kind = kindOf(fault);
      const known = this.#faults.get(kind) ?? { example: `${id}, ${where}: ${fault}`, places: new Map() };
      known.places.set(where, (known.places.get(where) ?? 0) + 1);
      this.#faults.set(kind, known);
    }
  }

  count(counts: 'refused' | 'excluded', what: string): void {
    this[counts].set(what, (this[counts].get(what) ?? 0) + 1);
  }

  /** For people: kinds of failures with how often and where they occurred, and one of each. */
  report(): string {
    const seconds = ((performance.now() - this.#startedAtMs) / 1000).toFixed(0);
    const lines = [`\n${this.title}: ${this.right} of ${this.sent} requests right, in ${seconds} s`];
    for (const [what, calls] of sorted(this.refused)) lines.push(`  refused ${calls}: ${what}`);
    for (const [what, calls] of sorted(this.excluded)) lines.push(`  left out ${calls}: ${what}`);
    const kinds = [...this.#faults].toSorted(([, one], [, other]) => total(other.places) - total(one.places));
    for (const [kind, { example, places }] of kinds) {
      lines.push(`FAIL ${total(places)} × ${kind}`);
      lines.push(
        `     ${sorted(places)
          .map(([where, calls]) => `${where} ${calls}`)
          .join(' · ')}`,
      );
      lines.push(`     ${example}`);
    }
    return lines.join('\n');
  }
}

interface Fault {
  readonly example: string;
  readonly places: Map<string, number>;
}

/** Details stand behind the first colon; a provider's refusals are all different ones. */
function kindOf(fault: string): string {
  const [kind = fault] = fault.split(': {').at(0)?.split(': [').at(0)?.split(': "') ?? [];
  return kind;
}

function total(counts: ReadonlyMap<string, number>): number {
  return [...counts.values()].reduce((sum, calls) => sum + calls, 0);
}

function sorted(counts: ReadonlyMap<string, number>): readonly (readonly [string, number])[] {
  return [...counts].toSorted(([, one], [, other]) => other - one);
}
