import { piece, type Assembly } from '@/components/drawings/assembly';
import { Cylinder, Ellipse, Holes, Rings, Spring, Teeth, Tube } from '@/components/drawings/solids';

export const STRUT: Assembly = {
  name: 'Front suspension',
  axis: 'M60 30V146',
  pieces: [
    piece(
      { name: 'strut mount', labels: ['strut-mount'], at: [60, 30] },
      <path d="M36 40q24 -14 48 0l-4 6q-20 8 -40 0zM54 32h12v4h-12zM44 38v-6M76 38v-6" />,
    ),
    piece(
      {
        name: 'spring with its seat',
        labels: ['coil-spring', 'coil-spring-insulator'],
        at: [60, 54],
      },
      <Spring x={60} top={56} bottom={104} r={20} turns={5} />,
    ),
    piece(
      { name: 'bump stop', labels: ['bump-stop'], at: [122, 42] },
      <path d="M114 42h16l-2 6 4 5 -4 5 4 5 -6 8h-8l-6 -8 4 -5 -4 -5 4 -5z" />,
    ),
    piece(
      {
        name: 'strut',
        labels: ['strut-assembly', 'air-suspension-strut', 'coilover'],
        at: [166, 40],
      },
      <path d="M163 40h6v34h-6zM144 78q22 -8 44 0l-4 5q-18 6 -36 0zM156 82h20v48h-20zM150 112h6v18h-6zM153 117v.1M153 125v.1" />,
    ),
    piece(
      {
        name: 'knuckle with its hub',
        labels: ['steering-knuckle', 'wheel-hub-bearing'],
        at: [234, 44],
      },
      <path d="M228 46h12l4 24 18 6 -16 14 -2 26h-14l-4 -26q-14 -12 0 -22z" />,
      <Rings x={232} y={82} r={[13, 5]} />,
    ),
    piece(
      { name: 'ball joint', labels: ['ball-joint'], at: [286, 84] },
      <path d="M282 84h8v14h-8zM276 98h20l2 8h-24zM274 106q12 14 24 0z" />,
    ),
    piece(
      {
        name: 'lower control arm',
        labels: ['lower-control-arm', 'control-arm-bushing', 'radius-arm'],
        at: [256, 122],
      },
      <path d="M190 116h14l44 6 46 -2a10 10 0 0 1 0 20l-60 2 -30 4h-14zM212 126l34 4 -30 6z" />,
      <Ellipse x={190} y={121} r={8} />,
      <Ellipse x={190} y={139} r={8} />,
      <circle cx="292" cy="130" r="4" />,
    ),
    piece(
      {
        name: 'stabilizer with its link',
        labels: ['stabilizer-bar', 'stabilizer-link', 'stabilizer-bushing'],
        at: [322, 52],
      },
      <Tube path="M346 132V84H318" width={5} />,
      <path d="M318 56h5v44h-5z" />,
      <circle cx="320" cy="54" r="6" />,
      <circle cx="320" cy="100" r="6" />,
    ),
  ],
};

export const WHEEL: Assembly = {
  name: 'Wheel and hub',
  axis: 'M14 90H346',
  pieces: [
    piece(
      { name: 'center cap or cover', labels: ['wheel-center-cap', 'wheel-cover'], at: [24, 74] },
      <Cylinder x={20} y={90} r={16} length={4} />,
      <Ellipse x={20} y={90} r={10} />,
    ),
    piece(
      { name: 'lug nuts', labels: ['lug-nut'], at: [54, 56] },
      [62, 90, 118].map((y) => (
        <g key={y}>
          <Cylinder x={50} y={y} r={6} length={10} hole={3} />
        </g>
      )),
    ),
    piece(
      { name: 'rim with its valve', labels: ['rim', 'tire-pressure-sensor'], at: [104, 54] },
      <Cylinder x={94} y={90} r={36} length={26} />,
      <Ellipse x={94} y={90} r={31} />,
      <path d="M94 60v24M94 96v24M84 74l7 11M104 74l-7 11M84 106l7 -11M104 106l-7 -11" />,
      <Ellipse x={94} y={90} r={9} />,
      <path d="M98 122l4 -6" />,
    ),
    piece(
      { name: 'tire', labels: ['tire'], at: [166, 44] },
      <Cylinder x={150} y={90} r={46} length={30} hole={30} />,
      <Ellipse x={150} y={90} r={37} />,
      <ellipse cx="150" cy="90" rx="10.8" ry="30" className="fill-canvas" />,
      <path d="M171 58h12M176 72h10M178 90h10M176 108h10M171 122h12" />,
    ),
    piece(
      {
        name: 'studs and hub',
        labels: ['wheel-stud', 'wheel-hub-bearing', 'locking-hub'],
        at: [232, 60],
      },
      <Cylinder x={238} y={90} r={14} length={20} />,
      <Cylinder x={228} y={90} r={28} length={7} />,
      <path d="M214 70h14M212 82h14M212 98h14M214 110h14" />,
      <Ellipse x={228} y={90} r={8} />,
    ),
    piece(
      {
        name: 'bearing with its ring',
        labels: ['tapered-wheel-bearing', 'wheel-hub-bearing', 'abs-tone-ring', 'bearing'],
        at: [282, 68],
      },
      <Cylinder x={276} y={90} r={21} length={12} hole={10} />,
      <Ellipse x={276} y={90} r={16} />,
      <ellipse cx="276" cy="90" rx="3.6" ry="10" className="fill-canvas" />,
      <Teeth x={276} y={90} r={21} length={12} />,
    ),
    piece(
      {
        name: 'knuckle with the speed sensor',
        labels: ['steering-knuckle', 'abs-wheel-speed-sensor'],
        at: [326, 48],
      },
      <path d="M320 48h12l2 24 12 8v22l-12 8 -2 24h-12l-2 -24q-10 -20 0 -36z" />,
      <Ellipse x={326} y={90} r={14} />,
      <path d="M310 62h10v6h-10zM310 65C304 65 304 54 298 54" />,
    ),
  ],
};

export const LEAF_SPRING: Assembly = {
  name: 'Rear suspension with leaf springs',
  pieces: [
    piece(
      { name: 'leaf spring', labels: ['leaf-spring'], at: [150, 66] },
      <path d="M44 78Q164 40 284 78L282 84Q164 48 46 84Z" transform="translate(0 6)" />,
      <path d="M76 82Q164 58 252 82L250 88Q164 66 78 88Z" transform="translate(0 8)" />,
      <path d="M110 88Q164 76 218 88L216 94Q164 84 112 94Z" transform="translate(0 8)" />,
      <circle cx="42" cy="88" r="7" />,
      <circle cx="286" cy="88" r="7" />,
      <path d="M158 66h12v42h-12z" />,
    ),
    piece(
      { name: 'shackle', labels: ['leaf-spring-shackle'], at: [322, 54] },
      <path d="M314 54h16v50h-16zM322 62a3 3 0 1 0 .1 0M322 92a3 3 0 1 0 .1 0" />,
    ),
    piece(
      { name: 'shock absorber', labels: ['shock-absorber'], at: [238, 30] },
      <g transform="rotate(32 228 50)">
        <path d="M225 36h6v14h-6zM218 48h20v32h-20z" />
        <circle cx="228" cy="32" r="5" />
        <circle cx="228" cy="85" r="5" />
      </g>,
    ),
    piece(
      { name: 'air spring', labels: ['air-spring'], at: [278, 36] },
      <path d="M264 40h28v4h-28zM276 36h4v4h-4zM266 44h24q8 5 0 10q8 5 0 10h-24q-8 -5 0 -10q-8 -5 0 -10zM266 54h24M268 64h20v4h-20z" />,
    ),
    piece(
      { name: 'axle', labels: ['axle-shaft', 'differential'], at: [70, 122] },
      <Cylinder x={30} y={130} r={7} length={250} />,
      <Rings x={164} y={130} r={[17, 10]} />,
    ),
    piece(
      { name: 'track bar', labels: ['track-bar'], at: [110, 42] },
      <path d="M62 46l90 -8v6l-90 8z" />,
      <circle cx="60" cy="49" r="6" />,
      <circle cx="154" cy="41" r="6" />,
    ),
    piece(
      { name: 'brake drum', labels: [], at: [310, 112] },
      <Cylinder x={300} y={130} r={18} length={14} />,
      <Holes x={300} y={130} r={10} count={5} size={1.5} />,
    ),
  ],
};
