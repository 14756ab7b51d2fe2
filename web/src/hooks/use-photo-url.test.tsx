import { render, screen } from '@testing-library/react';
import { afterEach, expect, it, vi } from 'vitest';
import { usePhotoUrl } from '@/hooks/use-photo-url';

const given = new Set<string>();
let made = 0;

/** An image that fails the test where its address was given back already. */
function Picture({ blob }: { blob: Blob | null }) {
  const url = usePhotoUrl(blob);
  if (url !== null) expect(given).toContain(url);
  return url === null ? <p>none</p> : <img src={url} alt="Photo" />;
}

afterEach(() => {
  vi.restoreAllMocks();
});

it('never shows an address that was given back', () => {
  vi.spyOn(URL, 'createObjectURL').mockImplementation(() => {
    made += 1;
    given.add(`blob:${made}`);
    return `blob:${made}`;
  });
  vi.spyOn(URL, 'revokeObjectURL').mockImplementation((url) => void given.delete(url));
  const [one, other] = [new Blob(['1']), new Blob(['2'])];
  const { rerender, unmount } = render(<Picture blob={one} />);
  for (const blob of [null, one, other, one, null]) {
    rerender(<Picture blob={blob} />);
    expect(screen.queryByRole('img') !== null).toBe(blob !== null);
  }
  unmount();
  expect(given.size).toBe(0);
});
