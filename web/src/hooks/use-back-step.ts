import { useCallback, useEffect, useRef } from 'react';
import {
  NavigationType,
  useLocation,
  useNavigate,
  useNavigation,
  useNavigationType,
  type Location,
} from 'react-router';
import { isStep, STEP } from '@/hooks/use-stale-step';

/**
 * Lets the way back close what stands on top of a screen and has no address: it gets a step of its own. Returns what
 * closes it by that way, so that the next step back leads on, with something else to do than `onBack`.
 */
export function useBackStep(onBack: () => void): (instead: () => void) => void {
  const location = useLocation();
  const type = useNavigationType();
  const navigate = useNavigate();
  // Its step would take the place of where a person is going while the code of that screen is loaded.
  const isLeaving = useNavigation().state !== 'idle';
  const isOn = isStep(location);
  const stage = useRef<'new' | 'asked' | 'on' | 'closed'>('new');
  const end = useRef<(() => void) | null>(null);
  const askedAt = useRef<Location | null>(null);
  useEffect(() => {
    const before = stage.current;
    const moved = before === 'on' || (before === 'asked' && location !== askedAt.current);
    if (isOn) {
      stage.current = 'on';
      // Closed before the step was there: until then the way back would have led off the screen.
      if (before === 'asked' && end.current !== null) void navigate(-1);
    } else if (moved && type === NavigationType.Pop) {
      // The way back may be taken before the step is drawn.
      stage.current = 'closed';
      (end.current ?? onBack)();
    } else if ((before === 'new' || moved) && !isLeaving) {
      stage.current = 'asked';
      askedAt.current = location;
      // A link to the very screen took the place of the step.
      const replace = before === 'on';
      void navigate(location, { replace, state: STEP, preventScrollReset: true });
    }
  }, [isOn, isLeaving, type, location, navigate, onBack]);
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
