import { useEffect, useRef } from 'react';
import { useLocation, useNavigate, type Location } from 'react-router';

/** What the history of the browser keeps beside a step that closes something. */
export const STEP = { backCloses: true };

export function isStep({ state }: Location): boolean {
  return (state as typeof STEP | null)?.backCloses === true;
}

/**
 * Goes on to the step before, where a screen opens on one that closes something (`useBackStep`): on the way back to
 * it, or after a reload, there is nothing left to close.
 */
export function useStaleStep(): void {
  const isOn = isStep(useLocation());
  const navigate = useNavigate();
  const isNew = useRef(true);
  useEffect(() => {
    if (isNew.current && isOn) void navigate(-1);
    isNew.current = false;
  }, [isOn, navigate]);
}
