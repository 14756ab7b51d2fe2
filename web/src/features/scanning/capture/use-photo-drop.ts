import { useEffect, useState, type DragEvent } from 'react';

/** Takes files that are dropped on an element, and images pasted anywhere on the page. */
export function usePhotoDrop(onFiles: (files: File[]) => void) {
  const [over, setOver] = useState(false);

  useEffect(() => {
    const onPaste = (event: ClipboardEvent) => {
      const files = [...(event.clipboardData?.files ?? [])];
      if (files.length === 0 || isTextField(event.target)) return;
      event.preventDefault();
      onFiles(files);
    };
    // A photo that misses the panel must not replace the page.
    const hold = (event: Event) => event.preventDefault();
    window.addEventListener('dragover', hold);
    window.addEventListener('drop', hold);
    window.addEventListener('paste', onPaste);
    return () => {
      window.removeEventListener('dragover', hold);
      window.removeEventListener('drop', hold);
      window.removeEventListener('paste', onPaste);
    };
  }, [onFiles]);

  return {
    over,
    dropTarget: {
      onDragOver: (event: DragEvent) => {
        event.preventDefault();
        setOver(true);
      },
      onDragLeave: (event: DragEvent) => {
        // The browser also tells of a pointer that goes on to something inside the panel.
        if (!event.currentTarget.contains(event.relatedTarget as Node | null)) setOver(false);
      },
      onDrop: (event: DragEvent) => {
        event.preventDefault();
        setOver(false);
        onFiles([...event.dataTransfer.files]);
      },
    },
  };
}

function isTextField(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.closest('input, textarea, select') !== null;
}
