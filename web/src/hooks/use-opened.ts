import { useCallback } from 'react';
import { useLocation, useNavigate, useSearchParams, type Location } from 'react-router';

/** What may be open on top of a screen. */
const NAMES = ['scan', 'part'] as const;

/** What the history of the browser keeps beside an address that something was opened under. */
const OPENED_HERE = { openedHere: true };

/**
 * What is open on top of a screen, by its id in the address under `name`, and the ways to open and to close it.
 *
 * The way back closes it, and closing it takes that way: else the next step back would open it again.
 */
export function useOpened(name: (typeof NAMES)[number]) {
  const [params, setParams] = useSearchParams();
  const location = useLocation();
  const navigate = useNavigate();
  const opened = params.get(name);
  const openedHere = (location.state as typeof OPENED_HERE | null)?.openedHere === true;

  const open = useCallback(
    (id: string) =>
      setParams((current) => withParam(current, name, id), {
        // One after another is one step.
        replace: opened !== null,
        state: opened === null || openedHere ? OPENED_HERE : null,
        preventScrollReset: true,
      }),
    [setParams, name, opened, openedHere],
  );
  const close = useCallback(() => {
    if (openedHere) void navigate(-1);
    // The address led here from elsewhere.
    else {
      setParams((current) => withParam(current, name, null), {
        replace: true,
        preventScrollReset: true,
      });
    }
  }, [navigate, setParams, name, openedHere]);
  return { opened, open, close };
}

/** Whether a step closes what is open, or opens something else in its place. */
export function closesOpened(from: Location, to: Location): boolean {
  const [before, after] = [new URLSearchParams(from.search), new URLSearchParams(to.search)];
  return NAMES.some((name) => before.has(name) && before.get(name) !== after.get(name));
}

function withParam(current: URLSearchParams, name: string, value: string | null): URLSearchParams {
  const next = new URLSearchParams(current);
  if (value === null) next.delete(name);
  else next.set(name, value);
  return next;
}
