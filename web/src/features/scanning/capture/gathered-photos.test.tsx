import { screen, waitFor } from '@testing-library/react';
import { HttpResponse } from 'msw';
import { describe, expect, it } from 'vitest';
import { escape, renderScreen } from '@/testing/render';
import { hasUnsavedWork } from '@/hooks/unsaved-work';
import { Bench, choose, identified, photo, png, thumbnails } from '@/testing/scanning';

describe('several photos of one part', () => {
  it('are listed before the button that sends them can be pressed', async () => {
    renderScreen(<Bench />);
    choose(png('front.png'), png('back.png'));
    await screen.findByRole('button', { name: 'Scan 2 Photos' });
    expect(thumbnails()).toHaveLength(2);
  });

  it('are looked through and sent together, in their order', async () => {
    const sent = identified();
    const { person } = renderScreen(<Bench />);
    choose(png('front.png'), png('blurred.png'));
    await person.click(await screen.findByRole('button', { name: 'Remove photo 2' }));
    expect(thumbnails()).toHaveLength(1);
    choose(png('back.png'));
    await waitFor(() => expect(thumbnails()).toHaveLength(2));
    expect(sent).not.toHaveBeenCalled();
    expect(hasUnsavedWork()).toBe(true);
    await person.click(screen.getByRole('button', { name: 'Scan 2 Photos' }));
    expect(await screen.findByText('flow: result')).toBeVisible();
    expect(hasUnsavedWork()).toBe(false);
    expect(sent).toHaveBeenCalledExactlyOnceWith(['front.png', 'back.png'], expect.any(String));
  });

  it('begin with one where that is asked for', async () => {
    const sent = identified();
    const { person } = renderScreen(<Bench />);
    await person.click(screen.getByRole('checkbox', { name: 'Several photos of one part' }));
    choose(photo);
    expect(await screen.findByRole('button', { name: 'Scan 1 Photo' })).toBeEnabled();
    expect(sent).not.toHaveBeenCalled();
    await person.click(screen.getByRole('checkbox', { name: 'Several photos of one part' }));
    expect(screen.getByRole('button', { name: 'Scan This Photo Again' })).toBeEnabled();
  });

  it('begin with none of the scan that was just answered', async () => {
    const sent = identified();
    const { person } = renderScreen(<Bench />);
    choose(png('answered.png'));
    expect(await screen.findByText('flow: result')).toBeVisible();
    await person.click(screen.getByRole('checkbox', { name: 'Several photos of one part' }));
    choose(png('front.png'), png('back.png'));
    await person.click(await screen.findByRole('button', { name: 'Scan 2 Photos' }));
    await waitFor(() => expect(sent).toHaveBeenCalledTimes(2));
    expect(sent.mock.calls[1]?.[0]).toEqual(['front.png', 'back.png']);
  });

  it.each([
    ['together', [[1, 2, 3, 4, 5, 6]]],
    [
      'one after another',
      [
        [1, 2, 3, 4, 5],
        [6, 7],
      ],
    ],
  ])('are the first five of more that are chosen %s', async (_, rounds) => {
    const sent = identified();
    const { person } = renderScreen(<Bench />);
    for (const round of rounds) {
      choose(...round.map((n) => png(`${n}.png`)));
      expect(await screen.findByRole('button', { name: 'Scan 5 Photos' })).toBeEnabled();
    }
    expect(screen.getByRole('alert')).toHaveTextContent(
      'A scan takes at most 5 photos of one part. Please choose the best ones.',
    );
    await person.click(screen.getByRole('button', { name: 'Scan 5 Photos' }));
    await screen.findByText('flow: result');
    expect(screen.queryByRole('alert')).not.toBeInTheDocument();
    expect(sent.mock.calls[0]?.[0]).toEqual(['1.png', '2.png', '3.png', '4.png', '5.png']);
  });

  it('are said to be too many no longer once one is removed', async () => {
    const { person } = renderScreen(<Bench />);
    choose(...[1, 2, 3, 4, 5, 6].map((n) => png(`${n}.png`)));
    await person.click(await screen.findByRole('button', { name: 'Remove photo 5' }));
    expect(screen.getByRole('button', { name: 'Scan 4 Photos' })).toBeEnabled();
    expect(screen.queryByRole('alert')).not.toBeInTheDocument();
  });

  it('say which of them is no photo, and keep the others', async () => {
    renderScreen(<Bench />);
    choose(photo, new File(['text'], 'notes.txt', { type: 'text/plain' }));
    expect(screen.getByRole('alert')).toHaveTextContent('Photo 2 of 2: This is not a photo:');
    expect(await screen.findByRole('button', { name: 'Scan 1 Photo' })).toBeEnabled();
  });

  it('are at hand again after a failure, each to be removed or cropped', async () => {
    identified(() => HttpResponse.json({ detail: 'Photo 2 of 2: Too small.' }, { status: 422 }));
    const { person } = renderScreen(<Bench />);
    choose(png('front.png'), png('back.png'));
    await person.click(await screen.findByRole('button', { name: 'Scan 2 Photos' }));
    const failure = await screen.findByRole('dialog', { name: 'Analysis Failed' });
    expect(failure).toHaveTextContent('Photo 2 of 2: Too small.');
    await escape(failure);
    expect(thumbnails()).toHaveLength(2);
    await person.click(screen.getByRole('button', { name: 'Crop photo 2' }));
    await screen.findByRole('dialog', { name: 'Crop the Photo' });
    await person.click(screen.getByRole('button', { name: 'Keep Whole Photo' }));
    expect(thumbnails()).toHaveLength(2);
  });
});
