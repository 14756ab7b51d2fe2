import { useEffect, useRef, useState } from 'react';
import { useLocation } from 'react-router';

/** What `index.html` calls the page, until a screen has said its title. */
const UNTITLED = 'Partsight';

/**
 * Says a change of the screen, which nothing else tells whoever does not see it. What had the focus may be gone with
 * the screen before: then the new one has it.
 */
export function ScreenChange() {
  const { pathname } = useLocation();
  const last = useRef(pathname);
  const [said, setSaid] = useState({ pathname: '', title: '' });
  useEffect(() => {
    // A change of the query stays on the screen.
    if (last.current === pathname) return;
    last.current = pathname;
    if (document.activeElement === document.body) {
      document.querySelector('main')?.focus({ preventScroll: true });
    }
    return onTitle((title) => setSaid({ pathname, title }));
  }, [pathname]);
  return (
    <div aria-live="polite" className="sr-only">
      {/* Of two screens with one title the second is said as well. */}
      <p key={said.pathname}>{said.title}</p>
    </div>
  );
}

/** Tells the title of a screen as soon as it has one; some wait for what they show. What it returns ends that. */
function onTitle(then: (title: string) => void): () => void {
  const tell = () => {
    if (document.title === UNTITLED) return;
    observer.disconnect();
    then(document.title);
  };
  const observer = new MutationObserver(tell);
  observer.observe(document.head, { childList: true, subtree: true, characterData: true });
  tell();
  return () => observer.disconnect();
}
