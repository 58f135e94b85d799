/** What a family of figures in Prometheus's text format is, and what it comes to. */
interface Family {
  readonly name: string;
  readonly kind: string;
  /** Its help and type, as they were said. */
  readonly head: string;
  /** By series: name and labels. */
  readonly samples: Map<string, number>;
}

/** Figures of one process, and which it is. */
export interface ProcessFigures {
  readonly worker: string;
  readonly text: string;
}

/** Adds up figures of several processes: those that count things become one sum, those about a process stay its own. */
export class Figures {
  readonly #families = new Map<string, Family>();
  readonly #seriesMax: number;
  #series = 0;

  constructor(seriesMax = Number.POSITIVE_INFINITY) {
    this.#seriesMax = seriesMax;
  }

  add({ worker, text }: ProcessFigures): void {
    this.#read(text, (family, series, value) => {
      this.#sum(family, isOwn(family) ? labelled(series, worker) : series, value);
    });
  }

  /** Only what never falls, for a process that has ended: what it counted was counted. */
  addCounters(text: string): void {
    this.#read(text, (family, series, value) => {
      if (family.kind !== 'gauge') this.#sum(family, series, value);
    });
  }

  render(): string {
    let text = '';
    for (const { head, samples } of this.#families.values()) {
      text += head;
      for (const [series, value] of samples) text += `${series} ${value}\n`;
    }
    return text;
  }

  #read(text: string, look: (family: Family, series: string, value: number) => void): void {
    let family: Family | undefined;
    let help = '';
    for (const line of text.split('\n')) {
      if (line.startsWith('# HELP ')) help = line;
      else if (line.startsWith('# TYPE ')) family = this.#family(help, line);
      else if (family !== undefined && line !== '') {
        // A label may have a space in it, a figure has none.
        const gap = line.lastIndexOf(' ');
        look(family, line.slice(0, gap), Number(line.slice(gap + 1)));
      }
    }
  }

  #family(help: string, type: string): Family {
    const [, , name = '', kind = ''] = type.split(' ');
    const known = this.#families.get(name);
    if (known !== undefined) return known;
    const family = { name, kind, head: `${help}\n${type}\n`, samples: new Map<string, number>() };
    this.#families.set(name, family);
    return family;
  }

  #sum({ samples }: Family, series: string, value: number): void {
    const before = samples.get(series);
    if (before === undefined && this.#series >= this.#seriesMax) return;
    if (before === undefined) this.#series++;
    samples.set(series, (before ?? 0) + value);
  }
}

/** Times, shares and yes-or-no would mean nothing as a sum; memory and CPU mean more when they are apart. */
function isOwn({ name, kind }: Family): boolean {
  return kind === 'gauge' && /^(process|nodejs)_|_up$/.test(name);
}

function labelled(series: string, worker: string): string {
  return series.endsWith('}')
    ? `${series.slice(0, -1)},worker="${worker}"}`
    : `${series}{worker="${worker}"}`;
}
