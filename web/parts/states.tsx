import { CloudOff, TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { ApiError } from '../api/client.ts';
import { Button } from './controls.tsx';

interface PageProps {
  readonly title: string;
  readonly lead?: ReactNode;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

export function Page({ title, lead, actions, children }: PageProps) {
  return (
    <div className="mx-auto flex w-full max-w-7xl flex-col gap-6 px-4 py-5 sm:px-6 lg:px-8">
      <title>{`${title} · Weir`}</title>
      <header className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <div className="min-w-0 grow">
          <h1 className="text-lg font-semibold tracking-tight">{title}</h1>
          {lead !== undefined && <p className="max-w-prose text-sm text-muted">{lead}</p>}
        </div>
        {actions !== undefined && <div className="flex flex-wrap items-center gap-2">{actions}</div>}
      </header>
      {children}
    </div>
  );
}

interface SectionProps {
  readonly title: string;
  readonly aside?: ReactNode;
  readonly children: ReactNode;
  readonly className?: string;
}

export function Section({ title, aside, children, className = '' }: SectionProps) {
  return (
    <section className={`flex min-w-0 flex-col gap-2.5 ${className}`} aria-label={title}>
      <div className="flex min-h-6 flex-wrap items-center justify-between gap-2">
        <h2 className="text-sm font-semibold">{title}</h2>
        {aside !== undefined && <div className="min-w-0 text-xs text-muted">{aside}</div>}
      </div>
      {children}
    </section>
  );
}

/** Of the size of what will be there. */
export function Skeleton({ className }: { readonly className: string }) {
  return <div aria-hidden className={`skeleton ${className}`} />;
}

/** Skeletons, and a word for who doesn't see them. */
export function Waiting({
  className,
  children,
}: {
  readonly className: string;
  readonly children: ReactNode;
}) {
  return (
    <div aria-busy className={className}>
      <span role="status" className="sr-only">
        Loading
      </span>
      {children}
    </div>
  );
}

export function Rows({ count }: { readonly count: number }) {
  return (
    <Waiting className="flex flex-col gap-2">
      {Array.from({ length: count }, (_, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: they are all the same
        <Skeleton key={at} className="h-8 w-full" />
      ))}
    </Waiting>
  );
}

export function Empty({ title, children }: { readonly title: string; readonly children?: ReactNode }) {
  return (
    <div className="flex flex-col items-center gap-2 rounded-lg border border-dashed border-line px-6 py-10 text-center">
      <p className="font-medium">{title}</p>
      {children !== undefined && <div className="max-w-prose text-sm text-muted">{children}</div>}
    </div>
  );
}

export function Failure({ error, onRetry }: { readonly error: unknown; readonly onRetry?: () => void }) {
  const { icon: Icon, title, note } = describeFailure(error);
  return (
    <div role="alert" className="flex items-start gap-3 rounded-lg border border-line bg-surface p-4">
      <Icon aria-hidden className="mt-0.5 size-4 shrink-0 text-failed" />
      <div className="min-w-0 grow">
        <p className="text-sm font-medium">{title}</p>
        <p className="text-xs wrap-anywhere text-muted">{note}</p>
      </div>
      {onRetry !== undefined && <Button onClick={onRetry}>Try again</Button>}
    </div>
  );
}

/** The gateway refused, it is away, or the page itself has a bug. */
function describeFailure(error: unknown) {
  if (error instanceof ApiError)
    return {
      icon: TriangleAlert,
      title: sentence(error.message),
      note: `Status ${error.status}${error.requestId === undefined ? '' : ` · ${error.requestId}`}`,
    };
  // What browsers throw if a request or a part of the page can't be loaded.
  if (error instanceof TypeError && /fetch|network|load failed|module/i.test(error.message))
    return {
      icon: CloudOff,
      title: 'The gateway does not respond.',
      note: 'It may have stopped. This page retries automatically.',
    };
  return {
    icon: TriangleAlert,
    title: 'This page has failed.',
    note: error instanceof Error ? error.message : 'Reload it, or go to another page.',
  };
}

export function sentence(text: string): string {
  const upper = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(upper) ? upper : `${upper}.`;
}

interface QueryLike<Data> {
  readonly data: Data | undefined;
  readonly error: unknown;
  refetch(): unknown;
}

interface LoadedProps<Data> {
  readonly of: QueryLike<Data>;
  readonly loading: ReactNode;
  readonly children: (data: Data) => ReactNode;
}

/** What was loaded, else why it wasn't, else what it will look like. What is there already stays while it is asked for again. */
export function Loaded<Data>({ of: query, loading, children }: LoadedProps<Data>) {
  if (query.data !== undefined) return children(query.data);
  if (query.error !== null && query.error !== undefined)
    return <Failure error={query.error} onRetry={() => void query.refetch()} />;
  return loading;
}

const tones = {
  plain: 'bg-sunken text-muted',
  accent: 'bg-accent-soft text-accent',
  saved: 'bg-saved-soft text-saved',
  refused: 'bg-refused-soft text-refused',
  failed: 'bg-failed-soft text-failed',
} as const;

export type Tone = keyof typeof tones;

export function Badge({ tone = 'plain', children }: { readonly tone?: Tone; readonly children: ReactNode }) {
  return (
    <span
      className={`inline-flex h-5 max-w-full items-center gap-1 rounded-sm px-1.5 text-xs font-medium whitespace-nowrap ${tones[tone]}`}
    >
      {children}
    </span>
  );
}

interface GaugeProps {
  readonly label: string;
  readonly value: number;
  /** Beyond the value, in a lighter colour. */
  readonly extra?: number;
  readonly max: number;
  readonly text: string;
  readonly tone?: 'accent' | 'refused';
}

export function Gauge({ label, value, extra = 0, max, text, tone = 'accent' }: GaugeProps) {
  const share = (part: number) => (max === 0 ? 0 : Math.min(100, (100 * part) / max));
  const fill = tone === 'accent' ? 'fill-accent' : 'fill-refused';
  return (
    <div className="flex flex-col gap-1.5">
      <div className="flex flex-wrap items-baseline justify-between gap-x-3 text-sm">
        <span>{label}</span>
        <span className="whitespace-nowrap text-muted">{text}</span>
      </div>
      <svg
        role="img"
        aria-label={`${label}: ${text}`}
        viewBox="0 0 100 4"
        preserveAspectRatio="none"
        className="h-1.5 w-full overflow-hidden rounded-sm"
      >
        <rect width="100" height="4" className="fill-sunken" />
        {extra > 0 && <rect width={share(value + extra)} height="4" className={fill} opacity=".4" />}
        <rect width={share(value)} height="4" className={fill} />
      </svg>
    </div>
  );
}
