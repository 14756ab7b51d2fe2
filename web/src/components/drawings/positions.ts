import type { Schemas } from '@/api/client';

export type PartPosition = Schemas['PartPosition'];

/** Which drawing shows a place. */
export type CarView = 'side' | 'plan' | 'cabin' | 'engine';

/** A place on a car. */
type Place = {
  view: CarView;
  /** Where it is, in words, for those who do not see the drawing too: "Inside the front wheels". */
  words: string;
  /** The outlines to fill, as path data on the drawing of the view. */
  shape: string;
  /** Where the line to the name begins. */
  at: readonly [x: number, y: number];
};

/** An outline, and about the middle of its upper edge, where the line to the name begins. */
type Shape = { path: string; top: Place['at'] };

const outline = (path: string, top: Place['at']): Shape => ({ path, top });

/** A rectangle with rounded corners. */
function box(x: number, y: number, width: number, height: number, r = 3): Shape {
  const [w, h] = [width - 2 * r, height - 2 * r];
  const path = `M${x + r} ${y}h${w}a${r} ${r} 0 0 1 ${r} ${r}v${h}a${r} ${r} 0 0 1 ${-r} ${r}h${-w}a${r} ${r} 0 0 1 ${-r} ${-r}v${-h}a${r} ${r} 0 0 1 ${r} ${-r}Z`;
  return { path, top: [Math.round(x + width / 2), y] };
}

function disc(x: number, y: number, r: number): Shape {
  const path = `M${x - r} ${y}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0Z`;
  return { path, top: [x, y - r] };
}

/** Outlines that are filled together; the line begins at the first. */
function together(first: Shape, ...others: Shape[]): Shape {
  return { ...first, path: [first, ...others].map(({ path }) => path).join('') };
}

/** The same on both sides of the plan. */
function bothSides(x: number, y: number, width: number, height: number, r?: number): Shape {
  return together(box(x, y, width, height, r), box(x, 158 - y - height, width, height, r));
}

const PLAN_ENGINE = box(50, 64, 50, 30, 4);
const FRONT_WHEEL = disc(78, 110, 18);
const REAR_WHEEL = disc(244, 110, 18);

/** Each place of the wire; the compiler asks for the one that is missing. */
export const PLACES: Record<PartPosition, Place> = {
  // Engine bay
  'air-intake': place(
    'plan',
    'In the engine bay, at the air box beside the engine',
    box(66, 47, 30, 13),
  ),
  battery: place('plan', 'In the engine bay, at the battery', {
    ...box(46, 44, 15, 14, 2),
    top: [53, 44],
  }),
  'belt-drive': place('engine', 'On the belt side of the engine', box(103, 54, 28, 52, 8)),
  // The brake's parts are in front of the driver, the heater's in front of the passenger.
  bulkhead: place(
    'plan',
    'At the wall between engine bay and cabin',
    bothSides(103, 41, 14, 24, 3),
  ),
  'engine-bay-side': place('plan', 'Along the sides of the engine bay', bothSides(50, 45, 44, 13)),
  radiator: place('plan', 'Behind the grille, in front of the engine', box(29, 52, 15, 54)),
  // Engine
  'cylinder-head': place('engine', 'On and in the top of the engine', box(142, 34, 112, 36)),
  'engine-block': place('engine', 'In the middle of the engine', {
    ...box(140, 70, 116, 32),
    top: [170, 70],
  }),
  'exhaust-manifold': place(
    'plan',
    'On the side of the engine where the exhaust leaves',
    box(54, 94, 42, 11),
  ),
  'intake-manifold': place(
    'plan',
    'On the side of the engine where air and fuel go in',
    box(54, 53, 42, 11),
  ),
  'oil-pan': place(
    'engine',
    'At the bottom of the engine',
    outline('M148 102H252L242 120H170L163 111H148Z', [164, 102]),
  ),
  'timing-drive': place(
    'engine',
    'Under the cover at the belt side of the engine',
    outline('M128 48H144V104H132C128 104 126 102 126 98V50Z', [136, 48]),
  ),
  // Drivetrain
  'bell-housing': place(
    'engine',
    'Between the engine and the transmission',
    outline('M256 68L270 62H286V112H270L256 104Z', [272, 62]),
  ),
  'drive-axle': place(
    'plan',
    'From the transmission out to the front wheels',
    bothSides(74, 43, 12, 21, 4),
  ),
  driveshaft: place(
    'plan',
    'Along the middle of the car, under the floor',
    box(140, 73, 96, 12, 4),
  ),
  gearbox: place(
    'plan',
    'Behind the engine, or beside it where the front wheels are driven',
    outline('M100 66L112 71H140V87H112L100 92Z', [124, 71]),
  ),
  'rear-axle': place(
    'plan',
    'Between the rear wheels',
    together(box(239, 43, 10, 26, 3), disc(244, 79, 11), box(239, 89, 10, 26, 3)),
  ),
  'transfer-case': place('plan', 'Behind the transmission', box(136, 69, 24, 26, 4)),
  // Wheels, brakes, suspension and steering
  'front-brake': place('side', 'Inside the front wheels', disc(78, 110, 11)),
  'front-suspension': place(
    'side',
    'Above and beside the front wheels',
    together(outline('M72 74L84 72L86 108H70Z', [78, 73]), box(64, 104, 28, 12)),
  ),
  'rear-brake': place('side', 'Inside the rear wheels', disc(244, 110, 11)),
  'rear-suspension': place(
    'side',
    'Above and beside the rear wheels',
    together(outline('M238 74L250 74L252 108H236Z', [244, 74]), box(224, 104, 40, 11)),
  ),
  'steering-linkage': place('plan', 'Between the front wheels, behind the engine', {
    ...box(96, 43, 9, 72, 4),
    top: [100, 43],
  }),
  wheel: place('side', 'At each wheel', together(FRONT_WHEEL, REAR_WHEEL)),
  'wheel-hub': place(
    'side',
    'In the middle of each wheel, where it turns',
    together(disc(78, 110, 6), disc(244, 110, 6)),
  ),
  // Exhaust and fuel
  'exhaust-front': place(
    'plan',
    'Under the front of the floor, behind the engine',
    box(96, 98, 74, 13, 4),
  ),
  'exhaust-rear': place(
    'plan',
    'Under the rear of the car',
    outline('M180 100H250V97H284V101H297V107H284V111H250V108H180Z', [230, 100]),
  ),
  'fuel-filler': place('side', 'On the rear side, behind the fuel door', {
    ...box(250, 70, 13, 13),
    top: [256, 70],
  }),
  'fuel-tank': place(
    'plan',
    'Under the rear seat, in front of the rear axle',
    box(192, 46, 30, 24, 4),
  ),
  'underbody-lines': place(
    'plan',
    'Along the floor, from the front to the rear',
    box(104, 52, 120, 8, 4),
  ),
  // Cabin
  'center-console': place('cabin', 'Between the front seats', box(134, 84, 52, 38)),
  dashboard: place(
    'cabin',
    'In the dashboard, in front of the driver and in the middle',
    together(outline('M54 68C58 56 106 56 110 68V82H54Z', [160, 52]), box(134, 52, 52, 28)),
  ),
  'heater-box': place(
    'cabin',
    'Behind the dashboard, in front of the passenger',
    box(192, 50, 92, 54, 8),
  ),
  pedals: place('cabin', "At the driver's feet", box(105, 103, 28, 20)),
  seat: place('side', 'At the seats', together(box(136, 66, 34, 30, 6), box(184, 66, 34, 30, 6))),
  'steering-column': place('cabin', 'At the steering wheel and behind it', disc(82, 92, 26)),
  'traction-battery': place(
    'plan',
    'Low in the floor, under or behind the rear seat',
    box(150, 48, 78, 62, 6),
  ),
  // Body
  door: place(
    'side',
    'In and on the doors',
    outline(
      'M110 64L138 43H203C211 43 216 45 221 49L241 64C244 72 240 82 229 88C224 96 221 100 220 106H113C109 92 109 78 112 64Z',
      [160, 43],
    ),
  ),
  'door-mirror': place(
    'side',
    'Outside the front doors, at the foot of the windshield',
    box(104, 53, 16, 11, 4),
  ),
  'front-bumper': place(
    'side',
    'At the front end, below the hood',
    outline('M28 98L30 90L46 88L54 110H40C32 110 28 105 28 98Z', [34, 90]),
  ),
  'front-fender': place(
    'side',
    'Around the front wheels',
    outline('M46 79L110 66C108 80 109 94 112 108H102A24 24 0 0 0 54 108L46 88Z', [92, 71]),
  ),
  'front-lights': place(
    'side',
    'At the front corners',
    outline('M32 83L48 79L47 89L30 91Z', [40, 81]),
  ),
  hood: place(
    'side',
    'The lid over the engine',
    outline('M38 76C40 74 42 74 44 74L104 63L100 69L46 80Z', [70, 68]),
  ),
  'rear-bumper': place(
    'side',
    'At the rear end, below the trunk',
    outline('M268 106L282 90H294L294 99C294 106 290 110 283 110H268Z', [286, 90]),
  ),
  'rear-lights': place('side', 'At the rear corners', outline('M284 74H294V90H285Z', [289, 74])),
  roof: place(
    'side',
    'On and under the roof',
    outline(
      'M134 41C139 38 143 37 149 37H204C212 37 219 39 225 43L221 46C214 42 209 41 203 41H148C144 41 141 42 138 44Z',
      [176, 37],
    ),
  ),
  sill: place('side', 'Below the doors', { ...box(102, 103, 118, 8), top: [160, 103] }),
  tailgate: place(
    'side',
    'At the trunk lid or tailgate',
    outline('M225 43L256 63L282 67C289 68 292 71 293 76L284 76L252 70L221 48Z', [258, 64]),
  ),
  windshield: place(
    'side',
    'At the windshield',
    outline('M100 65L134 41L141 43L112 64Z', [118, 53]),
  ),
  // A category only
  engine: place('plan', 'At the engine', PLAN_ENGINE),
  brakes: place('side', 'Inside the wheels', together(disc(78, 110, 11), disc(244, 110, 11))),
  electrics: place('plan', 'In the wiring: often in the engine bay or behind the dashboard', {
    ...together(box(46, 44, 15, 14, 2), box(64, 46, 30, 10), box(116, 46, 14, 66)),
    top: [79, 46],
  }),
  suspension: place(
    'side',
    'Above and beside the wheels',
    outline('M72 74L84 72L86 108H70ZM238 74L250 74L252 108H236Z', [78, 73]),
  ),
  drivetrain: place(
    'plan',
    'Between the engine and the driven wheels',
    outline('M100 66L112 71H140V73H234A11 11 0 1 1 234 85H140V87H112L100 92Z', [124, 71]),
  ),
  'cooling-system': place('plan', 'From the radiator to the engine and the heater', {
    ...together(box(29, 52, 17, 54), box(112, 44, 16, 26)),
    top: [37, 52],
  }),
  'exhaust-system': place(
    'plan',
    'From the engine to the tailpipe, under the floor',
    outline('M72 94H80V100H250V97H284V101H297V107H284V111H250V108H72Z', [165, 100]),
  ),
  'fuel-system': place(
    'plan',
    'From the fuel tank to the engine',
    together(box(192, 46, 30, 24, 4), box(96, 54, 96, 6, 3), box(54, 53, 42, 11)),
  ),
  body: place(
    'side',
    'On the outside of the car or in its cabin',
    outline(
      'M40 110C32 110 28 105 28 98L30 86C31 79 36 76 44 74L102 64L134 41C139 38 143 37 149 37H204C212 37 219 39 225 43L256 63L282 67C289 68 293 72 293 79L294 99C294 106 290 110 283 110H268A24 24 0 0 0 220 110H102A24 24 0 0 0 54 110Z',
      [176, 37],
    ),
  ),
};

function place(view: CarView, words: string, { path, top }: Shape): Place {
  return { view, words, shape: path, at: top };
}
