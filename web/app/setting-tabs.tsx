import { Link } from '@tanstack/react-router';
import type { NavigationItem } from './places.ts';

/** Above each page of settings. */
export function SettingTabs({ places }: { readonly places: readonly NavigationItem[] }) {
  return (
    <nav aria-label="Settings" className="overflow-x-auto border-b border-line">
      <div className="mx-auto flex w-max min-w-full max-w-7xl gap-1 px-2 sm:px-4 lg:px-6">
        {places
          .filter(({ isSetting }) => isSetting)
          .map(({ to, title }) => (
            <Link
              key={to}
              to={to}
              activeOptions={{ includeSearch: false }}
              className="-mb-px flex h-11 items-center border-b-2 border-transparent px-2 text-sm text-muted hover:text-ink aria-[current=page]:border-accent aria-[current=page]:font-medium aria-[current=page]:text-ink"
            >
              {title}
            </Link>
          ))}
      </div>
    </nav>
  );
}
