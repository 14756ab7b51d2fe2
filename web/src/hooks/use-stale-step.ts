import { useEffect, useRef } from 'react';
import { useLocation, useNavigate, type Location } from 'react-router';

/** What the history of the browser keeps beside a step that closes something. */
export const STEP = { backCloses: true };

export function isStep({ state }: Location): boolean {
  return (state as typeof STEP | null)?.backCloses === true;
}

/**
 * Goes on to the step before, where the way back or forward, or a reload, leads to a step that closes something
 * (`useBackStep`) and there is nothing to close. `isFilled` says whether there is, and may open it. The step is an
 * ordinary one then, through which the way forward leads.
 */
export function useStaleStep(isFilled: () => boolean = () => false): void {
  const location = useLocation();
  const navigate = useNavigate();
  const seen = useRef<Location | null>(null);
  useEffect(() => {
    if (seen.current === location) return;
    seen.current = location;
    if (isStep(location) && !isFilled()) {
      void Promise.resolve(navigate(location, { replace: true })).then(() => navigate(-1));
    }
  }, [location, navigate, isFilled]);
}
