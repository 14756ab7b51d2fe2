import { useCallback, useEffect, useRef } from 'react';
import { NavigationType, useLocation, useNavigate, useNavigationType } from 'react-router';

/** What the history of the browser keeps beside a step that closes something. */
const STEP = { backCloses: true };

/**
 * Lets the way back close what stands on top of a screen and has no address: it gets a step of its own. Returns what
 * closes it by that way, so that the next step back leads on, with something else to do than `onBack`.
 */
export function useBackStep(onBack: () => void): (instead: () => void) => void {
  const location = useLocation();
  const type = useNavigationType();
  const navigate = useNavigate();
  const isOn = (location.state as typeof STEP | null)?.backCloses === true;
  const stage = useRef<'new' | 'asked' | 'on' | 'closed'>('new');
  const end = useRef<(() => void) | null>(null);
  useEffect(() => {
    const before = stage.current;
    if (isOn) {
      stage.current = 'on';
      // Closed before the step was there: until then the way back would have led off the screen.
      if (before === 'asked' && end.current !== null) void navigate(-1);
    } else if (before === 'on' && type === NavigationType.Pop) {
      stage.current = 'closed';
      (end.current ?? onBack)();
    } else if (before === 'new' || before === 'on') {
      stage.current = 'asked';
      // A link to the very screen took the place of the step.
      const replace = before === 'on';
      void navigate(location, { replace, state: STEP, preventScrollReset: true });
    }
  }, [isOn, type, location, navigate, onBack]);
  return useCallback(
    (instead) => {
      // Pressed twice, it leads no further.
      if (end.current !== null) return;
      end.current = instead;
      if (stage.current === 'on') void navigate(-1);
    },
    [navigate],
  );
}
