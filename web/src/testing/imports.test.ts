import { expect, it } from 'vitest';

const sources = import.meta.glob<string>('/src/**/*.{ts,tsx}', {
  query: '?raw',
  import: 'default',
  eager: true,
});

const moduleName = (file: string) => file.replace(/^\/src\//, '@/').replace(/\.tsx?$/, '');

const imports = new Map(
  Object.entries(sources).map(([file, source]) => [
    moduleName(file),
    Array.from(source.matchAll(/^(?:import|export)\b[^;]*? from '(@\/[^']+)'/gm), ([, to]) => to),
  ]),
);

/** The first way back to a file that it began at; null where there is none. Types count as well. */
function circle(): string[] | null {
  const settled = new Set<string>();
  const follow = (from: string, path: string[]): string[] | null => {
    if (path.includes(from)) return [...path.slice(path.indexOf(from)), from];
    if (settled.has(from)) return null;
    for (const to of imports.get(from) ?? []) {
      const found = to === undefined ? null : follow(to, [...path, from]);
      if (found !== null) return found;
    }
    settled.add(from);
    return null;
  };
  for (const from of imports.keys()) {
    const found = follow(from, []);
    if (found !== null) return found;
  }
  return null;
}

it('is free of circles between files', () => {
  expect(imports.size).toBeGreaterThan(100);
  expect(circle()).toBeNull();
});
