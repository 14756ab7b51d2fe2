import { readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { render, screen, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { ASSEMBLIES, assemblyOf } from '@/components/drawings/assemblies';
import { BELT_DRIVE } from '@/components/drawings/assemblies/engine-outside';
import { PartPictures } from '@/components/drawings/part-pictures';
import { PHOTO_VIEWS, PhotoHints, type PhotoView } from '@/components/drawings/photo-hint';
import { PLACES, type PartPosition } from '@/components/drawings/positions';
import { signsOfWear, WEAR_LABELS, WearHint } from '@/components/drawings/wear';
import { WhereItSits } from '@/components/drawings/where-it-sits';

const ROOT = resolve(import.meta.dirname, '../../../..');
const PART_TYPES = readdirSync(resolve(ROOT, 'crates/catalog/data/part-types')).map((file) =>
  file.replace(/\.toml$/, ''),
);
/** The names that stand before an equals sign in the catalogue's table. */
const CATALOG_POSITIONS = [
  ...readFileSync(resolve(ROOT, 'crates/catalog/data/positions.toml'), 'utf8').matchAll(
    /^([a-z-]+) = /gm,
  ),
].map(([, name]) => name);

const text = (element: Element) => element.textContent;

describe('where it sits', () => {
  it('has a place for each position of the catalogue, and for each category', () => {
    expect(CATALOG_POSITIONS.length).toBeGreaterThan(40);
    const places = Object.keys(PLACES);
    expect(CATALOG_POSITIONS.filter((name) => !places.includes(name ?? ''))).toEqual([]);
    expect(places).toHaveLength(CATALOG_POSITIONS.length + 9);
  });

  it('says where in words, each place in its own', () => {
    const words = Object.values(PLACES).map((place) => place.words);
    expect(new Set(words).size).toBe(words.length);
  });

  it('keeps to one car, whose driver sits on the left', () => {
    const sides = (position: PartPosition) =>
      [...PLACES[position].shape.matchAll(/M[\d.]+ ([\d.]+)/g)].map(([, y]) =>
        Number(y) < 79 ? 'passenger' : 'driver',
      );
    expect(sides('bulkhead')).toEqual(['passenger', 'driver']);
    expect(sides('cooling-system')[1]).toBe('passenger');
    expect(sides('air-intake')).toEqual(sides('intake-manifold'));
    expect(sides('exhaust-manifold')).toEqual(['driver']);
  });

  it('names the part on the drawing, in it and under it', () => {
    render(<WhereItSits name="Oil Pan" position="oil-pan" />);
    const drawing = screen.getByRole('img', {
      name: 'Oil Pan, pointed out on a car at the engine',
    });
    expect(within(drawing).getByText('Oil Pan')).toBeInTheDocument();
    expect(screen.getByText('At the bottom of the engine.')).toBeVisible();
  });

  it('writes a long name smaller before it cuts any of it', () => {
    const name = 'Windshield washer fluid reservoir pump motor';
    const { container } = render(<WhereItSits name={name} position="oil-pan" />);
    const label = container.querySelector('svg text');
    expect(label).toHaveTextContent(name);
    expect(Number(label?.getAttribute('font-size'))).toBeLessThan(15);
  });

  it('keeps a name inside the drawing, wherever the part is', () => {
    const name = 'A part whose name is as long as a sentence, and then some';
    for (const position of Object.keys(PLACES) as PartPosition[]) {
      const { container, unmount } = render(<WhereItSits name={name} position={position} />);
      const label = container.querySelector('svg text');
      expect(label?.textContent).toMatch(/^A part whose name.*…$/);
      const middle = Number(label?.getAttribute('x'));
      const size = Number(label?.getAttribute('font-size'));
      const half = ((label?.textContent.length ?? 0) * size * 0.6) / 2;
      expect(middle - half).toBeGreaterThanOrEqual(0);
      expect(middle + half).toBeLessThanOrEqual(320);
      unmount();
    }
  });
});

describe('the exploded drawings', () => {
  it('point out part types that exist', () => {
    const labels = ASSEMBLIES.flatMap(({ pieces }) => pieces.flatMap((piece) => piece.labels));
    expect(labels.filter((label) => !PART_TYPES.includes(label))).toEqual([]);
  });

  it('have all types of the model', () => {
    const model = readFileSync(resolve(ROOT, 'models/partsight-50/labels.txt'), 'utf8');
    const labels = model.trim().split('\n');
    expect(labels).toHaveLength(50);
    expect(labels.filter((label) => assemblyOf(label) === undefined)).toEqual([]);
  });

  it.each([
    ['abs-tone-ring', 'Wheel and hub', 'bearing with its ring'],
    ['abs-wheel-speed-sensor', 'Wheel and hub', 'knuckle with the speed sensor'],
    ['ac-evaporator', 'Air-conditioning circuit', 'evaporator'],
    ['air-spring', 'Rear suspension with leaf springs', 'air spring'],
    ['cam-phaser', 'Timing drive', 'camshaft wheels'],
    ['carburetor', 'Fuel tank to engine', 'carburetor'],
    ['crankshaft-position-sensor', 'Timing drive', 'crankshaft wheel with seal and sensor'],
    ['dpf-pressure-sensor', 'Exhaust line', 'pressure sensor of a particulate filter'],
    ['flexplate', 'Automatic transmission', 'flexplate'],
    ['glow-plug', 'Top of the engine', 'glow plug of a diesel'],
    ['headlight-switch', 'Dashboard', 'light switch'],
    ['headlights', 'Headlight', 'headlight'],
    ['idle-air-control-valve', 'Air filter to engine', 'throttle body'],
    ['inner-tie-rod', 'Rack-and-pinion steering', 'inner tie rod'],
    ['rack-and-pinion', 'Rack-and-pinion steering', 'rack in its housing'],
    ['shock-absorber', 'Rear suspension with leaf springs', 'shock absorber'],
    ['thermostat-housing', 'Cooling circuit', 'thermostat with its housing'],
    ['throttle-body', 'Air filter to engine', 'throttle body'],
    ['throttle-position-sensor', 'Air filter to engine', 'throttle body'],
    ['turbocharger', 'Turbocharger and charge air', 'turbocharger'],
    ['turn-signal', 'Headlight', 'turn signal'],
    ['upper-control-arm', 'Double-wishbone suspension', 'upper arm'],
  ])('point out %s where it is drawn best: %s, %s', (label, name, pieceName) => {
    const assembly = assemblyOf(label);
    const chosen = assembly?.pieces.find(({ labels }) => labels.includes(label));
    expect([assembly?.name, chosen?.name]).toEqual([name, pieceName]);
  });

  it('leave out only what stands alone, or would point at another part', () => {
    expect(PART_TYPES.filter((label) => assemblyOf(label) === undefined).sort()).toEqual([
      'air-suspension-compressor',
      'antenna',
      'cd-changer',
      'central-locking-pump',
      'egr-cooler',
      'engine-splash-shield',
      'headliner',
      'hybrid-battery',
      'mud-flap',
      'o-ring',
      'oil-seal',
      'roller-blind',
      'roof-rack-crossbar',
      'running-board',
      'seat',
      'seat-belt',
      'secondary-air-pump',
      'side-skirt',
      'sun-visor',
      'synchronizer-ring',
      'trailer-hitch',
    ]);
  });

  it.each(ASSEMBLIES.map((assembly) => [assembly.name, assembly] as const))(
    '%s: each piece has a name of its own and its line begins in the drawing',
    (_, { pieces }) => {
      expect(pieces.length).toBeGreaterThanOrEqual(5);
      expect(new Set(pieces.map(({ name }) => name)).size).toBe(pieces.length);
      for (const { at } of pieces) {
        expect(at[0]).toBeGreaterThan(0);
        expect(at[0]).toBeLessThan(360);
        expect(at[1]).toBeGreaterThanOrEqual(28);
        expect(at[1]).toBeLessThan(150);
      }
    },
  );

  it('lay the drive belt over whatever it turns', () => {
    const { pieces } = BELT_DRIVE;
    const drawn = pieces.map(({ name, drawing }) => {
      const { container } = render(<svg>{drawing}</svg>);
      return { name, container };
    });
    const belt = drawn.at(-1);
    expect(belt?.name).toBe('drive belt');
    const arcs = [
      ...(belt?.container.querySelector('path')?.getAttribute('d') ?? '').matchAll(
        /A([\d.]+) [\d.]+ 0 [01] [01] ([\d.]+) ([\d.]+)/g,
      ),
    ].map(([, r, x, y]) => ({ r: Number(r), x: Number(x), y: Number(y) }));
    const without = drawn.slice(0, -1).filter(({ container }) => {
      const pulleys = [...container.querySelectorAll('circle')].map((circle) => ({
        x: Number(circle.getAttribute('cx')),
        y: Number(circle.getAttribute('cy')),
        r: Number(circle.getAttribute('r')),
      }));
      return !pulleys.some((pulley) =>
        arcs.some(
          ({ r, x, y }) =>
            r - pulley.r === 2 && Math.abs(Math.hypot(x - pulley.x, y - pulley.y) - r) < 0.2,
        ),
      );
    });
    expect(without.map(({ name }) => name)).toEqual([]);
  });

  it('mark the part among the pieces, in the drawing and in the words', () => {
    render(<PartPictures label="brake-rotor" name="Brake Rotor" position="front-brake" />);
    const drawing = screen.getByRole('img', {
      name: 'Brake Rotor, pointed out among the parts around it',
    });
    expect(drawing.querySelectorAll('g.stroke-accent')).toHaveLength(2);
    expect(screen.getByText('Disc brake:')).toBeVisible();
    expect(screen.getByText('rotor')).toHaveClass('text-accent');
    expect(screen.getByText('pads')).not.toHaveClass('text-accent');
  });

  it('are left out for a part that people taught; its category says where it sits', () => {
    render(<PartPictures label="our-own-bracket" name="Our bracket" position="brakes" />);
    expect(screen.getAllByRole('img')).toHaveLength(1);
    expect(screen.getByText('Inside the wheels.')).toBeVisible();
  });
});

describe('photo and wear hints', () => {
  it('have a name and a sentence for each view', () => {
    const views = Object.keys(PHOTO_VIEWS) as PhotoView[];
    render(<PhotoHints views={views} />);
    const hints = within(screen.getByRole('list', { name: 'How to photograph a part' }));
    const names = hints.getAllByRole('img').map((drawing) => drawing.getAttribute('aria-label'));
    expect(new Set(names).size).toBe(views.length);
    expect(names[0]).toBe('How to photograph it: the whole part');
    expect(hints.getByText('Lay a coin or a ruler beside it.')).toBeVisible();
  });

  it('show wear of part types that exist, good beside worn', () => {
    expect(WEAR_LABELS.filter((label) => !PART_TYPES.includes(label))).toEqual([]);
    for (const label of WEAR_LABELS) {
      const { unmount } = render(<WearHint label={label} name="Part" />);
      const names = screen.getAllByRole('img').map((img) => img.getAttribute('aria-label'));
      expect(names).toEqual(['Part, good', 'Part, worn']);
      const captions = screen.getAllByRole('listitem').map(text);
      expect(captions[0]).toMatch(/^(Good|New): /);
      expect(captions[1]).toMatch(/^Worn: /);
      unmount();
    }
  });

  it('name each sign of wear so that it stands alone in a list', () => {
    for (const label of WEAR_LABELS) {
      const signs = signsOfWear(label);
      expect(signs.length, label).toBeGreaterThan(1);
      expect(new Set(signs).size).toBe(signs.length);
      for (const sign of signs) expect(sign).toMatch(/^(?!Or |And |An? )[A-Z][^,.]*$/);
    }
    expect(signsOfWear('brake-pad')).toContain('Squealer tab touches the rotor');
  });

  it('tell a toothed belt from a ribbed one', () => {
    expect(signsOfWear('timing-belt')).toContain('Missing teeth');
    expect(signsOfWear('timing-belt').join()).not.toMatch(/rib/i);
    expect(signsOfWear('serpentine-belt')).toContain('Cracks across the ribs');
  });

  it('draw the squealer tab of a pad up to the rotor only where it is worn', () => {
    render(<WearHint label="brake-pad" name="Brake Pad" />);
    const marked = screen
      .getAllByRole('img')
      .map((drawing) => drawing.querySelectorAll('.stroke-bad').length);
    expect(marked).toEqual([0, 1]);
  });

  it('say nothing of wear that cannot be seen', () => {
    expect(signsOfWear('radio')).toEqual([]);
    const { container } = render(<WearHint label="radio" name="Radio" />);
    expect(container).toBeEmptyDOMElement();
  });
});
