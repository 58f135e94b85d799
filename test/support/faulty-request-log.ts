import type {
  ConversationSums,
  ConversationsPage,
  ConversationsQuery,
  EndUserSums,
  EndUsersQuery,
  ErrorSums,
  LogErrorsQuery,
  LoggedCall,
  LogPage,
  LogQuery,
  LogSums,
  LogSumsQuery,
  PartitionPlan,
  RequestLog,
  SumsSpan,
} from '../../src/kernel/ports/request-log.ts';

/** A request log that a test can come between. */
export class FaultyRequestLog implements RequestLog {
  /** Run before and after calls are added, and after some were forgotten; what they throw is what the caller gets. */
  beforeAdd: (calls: readonly LoggedCall[]) => void | Promise<void> = () => undefined;
  afterAdd: () => void | Promise<void> = () => undefined;
  afterForget: () => void | Promise<void> = () => undefined;
  /** How many calls each try to add had. */
  readonly adds: number[] = [];
  /** How many calls each step of cleaning deleted. */
  readonly forgotten: number[] = [];
  readonly rowsAtOnce: number;
  readonly #log: RequestLog;
  readonly #packed = new Map<string, readonly LoggedCall[]>();

  constructor(log: RequestLog) {
    this.#log = log;
    this.rowsAtOnce = log.rowsAtOnce;
  }

  async add(calls: readonly LoggedCall[]): Promise<void> {
    this.adds.push(calls.length);
    await this.beforeAdd(calls);
    await this.#log.add(calls);
    await this.afterAdd();
  }

  pack(calls: readonly LoggedCall[]): string {
    const pack = this.#log.pack(calls);
    this.#packed.set(pack, calls);
    return pack;
  }

  readPack(line: string): string | undefined {
    return this.#log.readPack(line);
  }

  async addPacked(packs: readonly string[]): Promise<void> {
    const calls = packs.flatMap((pack) => this.#packed.get(pack) ?? []);
    this.adds.push(calls.length);
    await this.beforeAdd(calls);
    await this.#log.addPacked(packs);
    await this.afterAdd();
  }

  async forget(upToId: string, most: number): Promise<number> {
    const count = await this.#log.forget(upToId, most);
    this.forgotten.push(count);
    await this.afterForget();
    return count;
  }

  page(question: LogQuery): Promise<LogPage> {
    return this.#log.page(question);
  }

  sums(question: LogSumsQuery): Promise<LogSums> {
    return this.#log.sums(question);
  }

  errors(question: LogErrorsQuery): Promise<readonly ErrorSums[]> {
    return this.#log.errors(question);
  }

  endUsers(question: EndUsersQuery): Promise<readonly EndUserSums[]> {
    return this.#log.endUsers(question);
  }

  conversations(question: ConversationsQuery): Promise<ConversationsPage> {
    return this.#log.conversations(question);
  }

  conversation(name: string, accountId: string | undefined): Promise<ConversationSums | undefined> {
    return this.#log.conversation(name, accountId);
  }

  oldestSums(kept: 'by-minute' | 'folded'): Promise<number | undefined> {
    return this.#log.oldestSums(kept);
  }

  foldMinutes(span: SumsSpan): Promise<void> {
    return this.#log.foldMinutes(span);
  }

  foldSums(span: SumsSpan): Promise<void> {
    return this.#log.foldSums(span);
  }

  totalDay(startMs: number): Promise<void> {
    return this.#log.totalDay(startMs);
  }

  forgetSums(beforeMs: number): Promise<boolean> {
    return this.#log.forgetSums(beforeMs);
  }

  forgetKinds(): Promise<void> {
    return this.#log.forgetKinds();
  }

  find(id: string, accountId: string | undefined): Promise<LoggedCall | undefined> {
    return this.#log.find(id, accountId);
  }

  maintain(plan: PartitionPlan): Promise<void> {
    return this.#log.maintain(plan);
  }

  newestBehind(count: number): Promise<string | undefined> {
    return this.#log.newestBehind(count);
  }

  acquireCleanupLease(holder: string, nowMs: number, untilMs: number): Promise<boolean> {
    return this.#log.acquireCleanupLease(holder, nowMs, untilMs);
  }
}
