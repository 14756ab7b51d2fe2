import { useEffect, useRef, useState } from 'react';

/** The heading of a company, which has the focus once the form that made it is gone. */
export function useNewCompanyHeading(exists: boolean) {
  const heading = useRef<HTMLHeadingElement>(null);
  const [isCreated, setIsCreated] = useState(false);
  useEffect(() => {
    if (exists && isCreated && document.activeElement === document.body) {
      heading.current?.focus({ preventScroll: true });
    }
  }, [exists, isCreated]);
  return { heading, onCreated: () => setIsCreated(true) };
}
