import { Dialog as Base } from '@base-ui/react/dialog';
import { X } from 'lucide-react';
import type { ReactNode } from 'react';
import { IconButton } from './controls.tsx';

interface DialogProps {
  readonly open: boolean;
  readonly onClose: () => void;
  readonly title: string;
  readonly lead?: ReactNode;
  readonly wide?: boolean;
  /** Without a way out but through what is in it. */
  readonly stays?: boolean;
  readonly children: ReactNode;
}

export function Dialog({ open, onClose, title, lead, wide = false, stays = false, children }: DialogProps) {
  return (
    <Base.Root
      open={open}
      onOpenChange={(next) => !next && !stays && onClose()}
      disablePointerDismissal={stays}
    >
      <Base.Portal>
        <Base.Backdrop className="fixed inset-0 z-40 bg-black/40" />
        <Base.Popup
          className={`fixed top-[10vh] left-1/2 z-50 flex max-h-[80vh] w-[calc(100vw-2rem)] -translate-x-1/2 flex-col gap-4 overflow-y-auto rounded-lg border border-line bg-surface p-5 shadow-xl ${wide ? 'max-w-3xl' : 'max-w-md'}`}
        >
          <div className="pr-8 wrap-anywhere">
            <Base.Title className="text-base font-semibold">{title}</Base.Title>
            {lead !== undefined && (
              <Base.Description className="mt-1 text-sm text-muted">{lead}</Base.Description>
            )}
          </div>
          {children}
          {/* Behind what the dialog is about, so that the first field has the focus. */}
          {!stays && (
            <Base.Close render={<IconButton label="Close" className="absolute top-4 right-4" />}>
              <X aria-hidden />
            </Base.Close>
          )}
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}
