import { useNavigate } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import type { NavigationItem } from './places.ts';

interface Opens {
  palette(): void;
  help(): void;
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || /^(input|textarea|select)$/i.test(target.tagName)) &&
    !(target instanceof HTMLInputElement && target.type === 'radio')
  );
}

/** Keys that work everywhere. Those of a page are the page's own; see `useKeys`. */
export function useShortcuts(places: readonly NavigationItem[], opens: Opens): void {
  const navigate = useNavigate();
  const current = useRef(opens);
  current.current = opens;
  useEffect(() => {
    let goesAt = 0;
    const pressed = (event: KeyboardEvent) => {
      const isPalette = (event.metaKey || event.ctrlKey) && event.key.toLowerCase() === 'k';
      if (isPalette) event.preventDefault();
      // What a dialog asks is answered first: some are shown once.
      if (document.querySelector('[role=dialog]') !== null) return;
      if (isPalette) current.current.palette();
      if (event.metaKey || event.ctrlKey || event.altKey || isTyping(event.target)) return;
      if (event.key === '?') current.current.help();
      else if (event.key === 'g') goesAt = event.timeStamp;
      else if (event.timeStamp - goesAt < 1200) {
        goesAt = 0;
        const place = places.find(({ letter }) => letter === event.key);
        if (place === undefined) return;
        event.preventDefault();
        event.stopImmediatePropagation();
        void navigate({ to: place.to });
      }
    };
    window.addEventListener('keydown', pressed, true);
    return () => window.removeEventListener('keydown', pressed, true);
  }, [places, navigate]);
}

/** Keys of a page, by their names; nothing happens while somebody types or a dialog is open. */
export function useKeys(keys: Readonly<Record<string, () => void>>): void {
  const current = useRef(keys);
  current.current = keys;
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      if (event.metaKey || event.ctrlKey || event.altKey || event.defaultPrevented) return;
      const act = current.current[event.key];
      if (act === undefined || isTyping(event.target) || document.querySelector('[role=dialog]') !== null)
        return;
      event.preventDefault();
      act();
    };
    window.addEventListener('keydown', pressed);
    return () => window.removeEventListener('keydown', pressed);
  }, []);
}
