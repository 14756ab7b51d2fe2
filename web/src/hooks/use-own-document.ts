import { useEffect } from 'react';

/**
 * True where the browser asked the server for this very page.
 *
 * A content policy belongs to the page that was loaded, and walking on to another screen keeps it.
 * A screen with a policy of its own is therefore loaded anew when somebody walked there, and so is the screen that
 * somebody walks on to from it.
 */
export function useOwnDocument(path: string): boolean {
  const own = isLoadedAs(path);
  useEffect(() => {
    if (!own) {
      // Replaced, not added: Back would lead to a page that leaves again at once.
      window.location.replace(path + window.location.search);
      return;
    }
    return () => {
      // The address is that of the next screen already; a screen that only failed keeps its own.
      const { pathname, href } = window.location;
      if (pathname !== path) window.location.replace(href);
    };
  }, [own, path]);
  return own;
}

function isLoadedAs(path: string): boolean {
  const [loaded] = performance.getEntriesByType('navigation');
  // A browser that does not say how the page was loaded would load it again without end.
  return loaded === undefined || new URL(loaded.name).pathname === path;
}
