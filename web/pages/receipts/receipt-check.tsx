import { useQuery } from '@tanstack/react-query';
import { ShieldAlert, ShieldCheck } from 'lucide-react';
import type { Receipt } from '../../api/queries.ts';
import { exactUsd, usd } from '../../parts/format.ts';
import { checkReceipt } from '../../parts/receipt-check.ts';

const words = {
  holds: 'The signature holds: checked in this browser, with the gateway’s public key.',
  broken: 'The signature does not match the receipt.',
  'unknown-key': 'The gateway does not have the key that signed it.',
} as const;

/** A receipt, and whether it holds. */
export function ReceiptCheck({ receipt }: { readonly receipt: Receipt }) {
  const { data } = useQuery({
    queryKey: ['receipt-check', receipt.receipt_id],
    queryFn: () => checkReceipt(receipt),
    staleTime: Number.POSITIVE_INFINITY,
  });
  return (
    <div className="flex flex-col gap-2 rounded-md border border-line p-3">
      <p className="flex items-center gap-2 text-sm" role="status">
        {data === 'holds' ? (
          <ShieldCheck aria-hidden className="size-4 shrink-0 text-saved" />
        ) : (
          <ShieldAlert
            aria-hidden
            className={`size-4 shrink-0 ${data === undefined ? 'text-muted' : 'text-failed'}`}
          />
        )}
        {data === undefined ? 'Checking the signature…' : words[data]}
      </p>
      <dl className="grid grid-cols-[6.5rem_minmax(0,1fr)] gap-y-0.5 text-xs [&>dd]:truncate [&>dd]:font-mono [&>dt]:text-muted">
        <dt>Receipt</dt>
        <dd title={receipt.receipt_id}>{receipt.receipt_id}</dd>
        <dt>Model</dt>
        <dd>
          {receipt.model} · {receipt.provider}
        </dd>
        <dt>Cost</dt>
        <dd title={exactUsd(receipt.cost_usd)}>{usd(receipt.cost_usd)}</dd>
        <dt>Request</dt>
        <dd title={receipt.request_sha256}>sha256 {receipt.request_sha256}</dd>
        <dt>Answer</dt>
        <dd title={receipt.response_sha256}>sha256 {receipt.response_sha256}</dd>
      </dl>
    </div>
  );
}
