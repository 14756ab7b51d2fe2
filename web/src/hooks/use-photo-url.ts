import { useEffect, useState } from 'react';

/** An address under which an `<img>` can show `blob`, given back when it is no longer shown. */
export function usePhotoUrl(blob: Blob | null): string | null {
  const [shown, setShown] = useState<{ blob: Blob; url: string } | null>(null);
  useEffect(() => {
    if (blob === null) return;
    const url = URL.createObjectURL(blob);
    // The address exists only outside React; it is made here so that it can be given back.
    // eslint-disable-next-line react-hooks/set-state-in-effect -- see above
    setShown({ blob, url });
    return () => {
      URL.revokeObjectURL(url);
      // Else the same photo, shown again, would begin with an address that leads nowhere any more.
      setShown((current) => (current?.url === url ? null : current));
    };
  }, [blob]);
  return shown !== null && shown.blob === blob ? shown.url : null;
}
