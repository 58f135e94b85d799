import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { CatalogModel } from '../../api/queries.ts';
import { count, duration, exactUsd, percent, short, usd } from '../../parts/format.ts';
import type { Column } from '../../parts/table.tsx';
import type { TimeRange } from '../../parts/time-ranges.ts';
import { type KnownModel, nameOf } from './known-models.ts';

/** A figure of a model, in the table and in the comparison. */
export interface ModelFigure {
  readonly title: string;
  readonly cell: (model: KnownModel) => ReactNode;
  readonly sortBy?: (model: KnownModel) => number | null;
  readonly wide?: NonNullable<Column<KnownModel>['wide']>;
  readonly end: boolean;
}

export const windowFigure: ModelFigure = {
  title: 'Window',
  end: true,
  wide: 'xl',
  cell: ({ listed }) => short(listed?.context_tokens),
  sortBy: ({ listed }) => listed?.context_tokens ?? null,
};

export const outputFigure: ModelFigure = {
  title: 'Max output',
  end: true,
  cell: ({ listed }) => short(listed?.output_tokens_max),
};

export const abilitiesFigure: ModelFigure = {
  title: 'Abilities',
  end: false,
  cell: ({ listed }) => (
    <span className="flex flex-wrap gap-1 whitespace-normal">
      {(listed?.features ?? []).map((ability) => (
        <span key={ability} className="rounded-sm bg-sunken px-1 text-xs text-muted">
          {ability.replaceAll('_', ' ')}
        </span>
      ))}
    </span>
  ),
};

export const keyFigure: ModelFigure = {
  title: 'Key',
  end: false,
  wide: true,
  cell: ({ hasKey }) => (hasKey ? 'yes' : <span className="text-muted">none</span>),
};

/** Dollars for a million tokens. */
export const priceFigures: readonly ModelFigure[] = [
  priceFigure('Input', 'input', true),
  priceFigure('Cached', 'cache_read', true),
  priceFigure('Output', 'output'),
];

export const ownFigures: readonly ModelFigure[] = [
  {
    title: 'Calls',
    end: true,
    wide: true,
    cell: ({ sums }) => count(sums?.requests),
    sortBy: ({ sums }) => sums?.requests ?? null,
  },
  {
    title: 'Errors',
    end: true,
    wide: true,
    cell: ({ sums }) => (sums === undefined ? '–' : percent(sums.failed, sums.requests)),
    sortBy: ({ sums }) => (sums === undefined ? null : sums.failed / Math.max(1, sums.requests)),
  },
  {
    title: 'First token',
    end: true,
    wide: 'lg',
    cell: ({ sums }) => (
      <span title={`95 % within ${duration(sums?.first_content_ms.p95)}`}>
        {duration(sums?.first_content_ms.p50)}
        {sums?.first_content_ms.p95 != null && (
          <span className="text-muted"> / {duration(sums.first_content_ms.p95)}</span>
        )}
      </span>
    ),
    sortBy: ({ sums }) => sums?.first_content_ms.p50 ?? null,
  },
  {
    title: 'Cost',
    end: true,
    cell: ({ sums }) => <span title={exactUsd(sums?.cost_usd)}>{usd(sums?.cost_usd)}</span>,
    sortBy: ({ sums }) => (sums === undefined ? null : Number(sums.cost_usd)),
  },
];

function priceFigure(
  title: string,
  kind: keyof CatalogModel['price_usd_per_million_tokens'],
  wide = false,
): ModelFigure {
  return {
    title,
    end: true,
    wide,
    cell: ({ listed }) => usd(listed?.price_usd_per_million_tokens[kind]),
    sortBy: ({ listed }) => listed?.price_usd_per_million_tokens[kind] ?? null,
  };
}

/** The name, which leads to the calls of the model if there are any. */
export function ModelName({ model, range }: { readonly model: KnownModel; readonly range: TimeRange }) {
  const name = (
    <>
      <bdi className="font-mono text-xs">{model.id}</bdi>
      {model.provider !== null && <span className="ml-2 text-xs text-muted">{model.provider}</span>}
    </>
  );
  if (model.sums === undefined) return <span title={nameOf(model.provider, model.id)}>{name}</span>;
  return (
    <Link
      to="/requests"
      search={{ model: model.id, range }}
      title={nameOf(model.provider, model.id)}
      className="hover:underline"
    >
      {name}
    </Link>
  );
}

export function TryLink({ model }: { readonly model: KnownModel }) {
  return (
    <Link
      to="/playground"
      search={{ model: nameOf(model.provider, model.id) }}
      aria-label={`Try ${model.id} in the playground`}
      className="text-accent hover:underline"
    >
      Try
    </Link>
  );
}
