import { expect, it } from 'vitest';
import { noticeOf, pageOf } from '@/service-worker/notice';

const ORIGIN = 'https://shop.example';

it('shows what the server says', () => {
  const message = { title: 'Oil change overdue', text: 'By 3 days.', path: '/vehicle?id=1' };
  expect(noticeOf(JSON.stringify(message))).toMatchObject({
    title: 'Oil change overdue',
    options: { body: 'By 3 days.', data: { path: '/vehicle?id=1' } },
  });
});

it.each([undefined, '', 'no JSON', 'null', '[]', '{"title":1,"text":""}'])(
  'shows something in general words for %s',
  (message) => {
    const { title, options } = noticeOf(message);
    expect(title).toBe('Reminder');
    expect(options.body).toBe('See what is due on your vehicles.');
    expect(options.data.path).toBe('/vehicle');
  },
);

it('gives two messages alike one tag', () => {
  const tagOf = (text: string) => noticeOf(JSON.stringify({ title: 'Due', text })).options.tag;
  expect(tagOf('Oil')).toBe(tagOf('Oil'));
  expect(tagOf('Oil')).not.toBe(tagOf('Belt'));
});

it.each([
  [{ path: '/vehicle?id=1' }, '/vehicle?id=1'],
  [{ path: 'https://evil.example/' }, '/vehicle'],
  [{ path: '//evil.example/' }, '/vehicle'],
  [{ path: 'javascript:alert(1)' }, '/vehicle'],
  [{ path: 1 }, '/vehicle'],
  [null, '/vehicle'],
])('opens only pages of its own: %j', (data, expected) => {
  expect(pageOf(data, ORIGIN)).toBe(ORIGIN + expected);
});
