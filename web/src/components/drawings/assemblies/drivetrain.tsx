import { piece, type Assembly } from '@/components/drawings/assembly';
import { Block, Cylinder, Ellipse, Holes, Teeth, Tube } from '@/components/drawings/solids';

export const CLUTCH: Assembly = {
  name: 'Clutch',
  axis: 'M14 90H346',
  pieces: [
    piece(
      { name: 'flywheel', labels: ['flywheel', 'rear-main-seal'], at: [34, 46] },
      <Cylinder x={28} y={90} r={44} length={10} hole={6} />,
      <Teeth x={28} y={90} r={44} length={10} />,
      <Ellipse x={28} y={90} r={30} />,
      <Holes x={28} y={90} r={13} count={6} />,
    ),
    piece(
      { name: 'clutch disc', labels: ['clutch-plate', 'clutch-kit'], at: [94, 52] },
      <Cylinder x={90} y={90} r={38} length={4} />,
      <Ellipse x={90} y={90} r={22} />,
      <Holes x={90} y={90} r={15} count={4} size={3.5} />,
      <Ellipse x={90} y={90} r={7} />,
    ),
    piece(
      { name: 'pressure plate', labels: ['pressure-plate'], at: [148, 48] },
      <Cylinder x={140} y={90} r={42} length={14} />,
      <Ellipse x={140} y={90} r={28} />,
      <path d="M140 62v18M140 100v18M131 76l5 9M149 76l-5 9M131 104l5 -9M149 104l-5 -9M130 90h5M145 90h5" />,
      <Ellipse x={140} y={90} r={8} />,
    ),
    piece(
      { name: 'release bearing', labels: ['clutch-release-bearing'], at: [194, 76] },
      <Cylinder x={188} y={90} r={14} length={7} hole={7} />,
      <Cylinder x={196} y={90} r={9} length={12} />,
    ),
    piece(
      {
        name: 'release fork with its cylinder',
        labels: ['clutch-fork', 'clutch-slave-cylinder', 'clutch-cable', 'clutch-master-cylinder'],
        at: [232, 58],
      },
      <path d="M226 104V74q0 -8 6 -8t6 8v30l-4 4V84h-4v24z" />,
      <path d="M229 66l2 -10h4l2 10M246 56h22v10h-22zM240 61h6" />,
    ),
    piece(
      { name: 'transmission', labels: ['transmission'], at: [312, 50] },
      <Cylinder x={262} y={90} r={4} length={22} />,
      <path d="M282 52q10 -4 18 8l22 8h24v44h-24l-22 8q-8 12 -18 8z" />,
      <Ellipse x={282} y={90} r={38} />,
      <Ellipse x={282} y={90} r={10} />,
    ),
    piece(
      { name: 'starter', labels: ['starter', 'starter-solenoid'], at: [66, 124] },
      <Cylinder x={60} y={134} r={9} length={34} />,
      <Cylinder x={66} y={122} r={5} length={20} />,
      <Cylinder x={48} y={134} r={4} length={8} />,
    ),
  ],
};

export const AUTOMATIC: Assembly = {
  name: 'Automatic transmission',
  axis: 'M14 78H220',
  pieces: [
    piece(
      { name: 'flexplate', labels: ['flexplate'], at: [32, 38] },
      <Cylinder x={30} y={78} r={40} length={3} hole={5} />,
      <Teeth x={30} y={78} r={40} length={3} />,
      <Holes x={30} y={78} r={24} count={6} size={3} />,
    ),
    piece(
      { name: 'torque converter', labels: ['torque-converter'], at: [92, 40] },
      <path d="M80 40H94C112 44 112 112 94 116H80Z" />,
      <Ellipse x={80} y={78} r={38} />,
      <Ellipse x={80} y={78} r={24} />,
      <Cylinder x={72} y={78} r={7} length={8} />,
    ),
    piece(
      {
        name: 'transmission',
        labels: ['transmission', 'transmission-mount', 'transmission-range-sensor'],
        at: [196, 40],
      },
      <path d="M134 40q8 -4 16 4l74 10v42l-74 16q-8 8 -16 4z" />,
      <path d="M160 50v58M188 53v51M224 66h22v18h-22" />,
      <Ellipse x={134} y={78} r={38} />,
      <Ellipse x={134} y={78} r={10} />,
    ),
    piece(
      {
        name: 'valve body with solenoids',
        labels: ['transmission-valve-body', 'transmission-shift-solenoid'],
        at: [292, 44],
      },
      <Block x={264} y={50} width={62} height={12} depth={12} />,
      <path d="M270 62v6h8v-6M288 62v6h8v-6M306 62v6h8v-6M270 56h50" />,
    ),
    piece(
      { name: 'filter', labels: ['transmission-filter'], at: [292, 80] },
      <Block x={268} y={86} width={54} height={8} depth={12} />,
      <path d="M290 78v6h8v-6z" />,
    ),
    piece(
      { name: 'pan', labels: ['transmission-pan'], at: [300, 108] },
      <path d="M260 116l12 -8h70l-12 8zM260 116h70v4h-70zM330 116l12 -8v4l-12 8zM266 120h58l-4 14h-50z" />,
    ),
    piece(
      { name: 'cooler with its lines', labels: ['transmission-oil-cooler'], at: [150, 126] },
      <Tube path="M196 104V134H190M206 100V140H190" width={2} />,
      <path d="M120 122h68v22h-68zM126 122v22M134 122v22M142 122v22M150 122v22M158 122v22M166 122v22M174 122v22M182 122v22" />,
    ),
  ],
};

export const DRIVELINE: Assembly = {
  name: 'Transmission to rear wheels',
  axis: 'M14 80H300',
  pieces: [
    piece(
      { name: 'transfer case', labels: ['transfer-case', 'transfer-case-motor'], at: [40, 46] },
      <path d="M18 60q0 -14 20 -14t24 14v34q-4 24 -24 24t-20 -24z" />,
      <path d="M28 104a8 8 0 1 0 16 0a8 8 0 1 0 -16 0" />,
      <Cylinder x={62} y={80} r={8} length={10} />,
    ),
    piece(
      {
        name: 'universal joint',
        labels: ['universal-joint', 'driveshaft-flex-disc'],
        at: [98, 64],
      },
      <path d="M94 64h8v12h12v8h-12v12h-8V84H82v-8h12z" />,
    ),
    piece(
      { name: 'driveshaft', labels: ['driveshaft'], at: [148, 70] },
      <path d="M124 68h10v8h-10zM124 84h10v8h-10z" />,
      <Cylinder x={134} y={80} r={9} length={46} />,
    ),
    piece(
      { name: 'center bearing', labels: ['center-support-bearing'], at: [204, 58] },
      <Cylinder x={200} y={80} r={20} length={8} hole={9} />,
      <path d="M196 100l-6 10h26l-6 -10" />,
    ),
    piece(
      {
        name: 'differential with its gears',
        labels: ['differential', 'ring-and-pinion'],
        at: [262, 48],
      },
      <path d="M228 72h10l14 -20q22 -8 30 8v40q-8 16 -30 8l-14 -20h-10z" />,
      <Ellipse x={264} y={80} r={24} />,
      <Teeth x={264} y={80} r={24} length={5} />,
    ),
    piece(
      { name: 'differential cover', labels: ['differential-cover'], at: [316, 50] },
      <path d="M306 50q24 6 24 30t-24 30z" />,
      <Ellipse x={306} y={80} r={30} />,
      <Holes x={306} y={80} r={26} count={10} size={1.4} />,
    ),
    piece(
      { name: 'axle shaft', labels: ['axle-shaft'], at: [200, 126] },
      <Cylinder x={150} y={132} r={4} length={110} />,
      <Cylinder x={138} y={132} r={13} length={5} />,
      <Holes x={138} y={132} r={9} count={5} size={1.5} />,
    ),
  ],
};

export const DRIVE_AXLE: Assembly = {
  name: 'Front drive axle',
  axis: 'M14 90H346',
  pieces: [
    piece(
      { name: 'transmission side joint', labels: ['cv-axle'], at: [50, 68] },
      <Cylinder x={18} y={90} r={5} length={20} />,
      <Cylinder x={38} y={90} r={20} length={26} />,
    ),
    piece(
      { name: 'inner boot', labels: ['cv-boot'], at: [96, 70] },
      <path d="M82 70l6 3 4 -2 4 6 4 -2 4 6 4 -1v20l-4 -1 -4 6 -4 -2 -4 6 -4 -2 -6 3zM92 71v38M100 75v30" />,
    ),
    piece(
      { name: 'shaft', labels: ['cv-axle'], at: [168, 84] },
      <Cylinder x={122} y={90} r={6} length={92} />,
    ),
    piece(
      { name: 'outer boot', labels: ['cv-boot'], at: [244, 70] },
      <path d="M258 70l-6 3 -4 -2 -4 6 -4 -2 -4 6 -4 -1v20l4 -1 4 6 4 -2 4 6 4 -2 6 3zM248 71v38M240 75v30" />,
    ),
    piece(
      { name: 'wheel side joint', labels: ['cv-axle'], at: [288, 66] },
      <Cylinder x={300} y={90} r={7} length={34} />,
      <Cylinder x={274} y={90} r={22} length={24} />,
      <path d="M318 85h16M318 90h18M318 95h16" />,
    ),
  ],
};

export const EXHAUST: Assembly = {
  name: 'Exhaust line',
  pieces: [
    piece(
      {
        name: 'exhaust manifold',
        labels: ['exhaust-manifold', 'exhaust-header', 'exhaust-manifold-gasket', 'egr-valve'],
        at: [36, 48],
      },
      [56, 72, 88].map((y) => <Tube key={y} path={`M20 ${y}H32C44 ${y} 40 96 52 96`} width={6} />),
      <path d="M14 48h6v50h-6z" />,
      <Cylinder x={52} y={96} r={9} length={5} hole={5} />,
    ),
    piece(
      {
        name: 'oxygen sensor',
        labels: ['oxygen-sensor', 'nox-sensor', 'exhaust-temperature-sensor'],
        at: [90, 44],
      },
      <path d="M85 62h10v10h-10zM83 56h14v6h-14zM86 46h8v10h-8zM90 46C90 34 106 34 112 40M87 72h6v6h-6z" />,
    ),
    piece(
      { name: 'flex pipe and gasket', labels: ['flex-pipe', 'exhaust-gasket'], at: [84, 86] },
      <Cylinder x={72} y={96} r={8} length={30} />,
      <path d="M79 88v16M84 88v16M89 88v16M94 88v16" />,
    ),
    piece(
      {
        name: 'catalytic converter',
        labels: [
          'catalytic-converter',
          'diesel-particulate-filter',
          'exhaust-heat-shield',
          'def-injector',
        ],
        at: [124, 84],
      },
      <path d="M118 91l12 -13h34l12 13v10l-12 13h-34l-12 -13z" />,
      <path d="M130 78v36M164 78v36M138 86h18M138 96h18M138 106h18" />,
    ),
    piece(
      {
        name: 'pressure sensor of a particulate filter',
        labels: ['dpf-pressure-sensor'],
        at: [147, 38],
      },
      <Tube path="M140 58C140 66 135 66 135 78M154 58C154 66 159 66 159 78" width={2} />,
      <path d="M134 42h26v12h-26zM137 54h6v5h-6zM151 54h6v5h-6zM142 38h10v4h-10z" />,
    ),
    piece(
      { name: 'resonator and pipe', labels: ['resonator', 'exhaust-pipe'], at: [218, 84] },
      <Cylinder x={184} y={96} r={5} length={16} />,
      <Cylinder x={244} y={96} r={5} length={12} />,
      <Cylinder x={202} y={96} r={12} length={38} />,
    ),
    piece(
      { name: 'hanger and clamp', labels: ['exhaust-hanger', 'exhaust-clamp'], at: [262, 58] },
      <path d="M256 58h12v18h-12zM262 63v.1M262 71v.1M262 76v8" />,
      <Cylinder x={258} y={96} r={10} length={5} hole={6} />,
    ),
    piece(
      { name: 'muffler', labels: ['muffler'], at: [302, 74] },
      <Cylinder x={266} y={96} r={5} length={12} />,
      <Cylinder x={282} y={96} r={22} length={36} />,
      <path d="M292 75q8 21 0 42M310 75q8 21 0 42" fill="none" />,
    ),
    piece(
      { name: 'tailpipe', labels: ['tailpipe'], at: [342, 112] },
      <Tube path="M330 100H336C344 100 344 112 344 126" width={7} />,
    ),
  ],
};

export const SHIFTER: Assembly = {
  name: 'Gear shift',
  axis: 'M64 30V104',
  pieces: [
    piece(
      { name: 'knob', labels: ['shift-knob'], at: [64, 30] },
      <path d="M52 40q0 -10 12 -10t12 10q0 8 -7 13v5H59v-5q-7 -5 -7 -13z" />,
      <path d="M58 37v6M64 37v6M70 37v6M58 40h12" />,
    ),
    piece(
      { name: 'boot', labels: [], at: [106, 40] },
      <path d="M100 40h14l4 8 8 18 8 6v6H80v-6l8 -6 8 -18zM98 48h18M94 58h26M89 68h36" />,
    ),
    piece(
      { name: 'shifter', labels: ['shifter-assembly'], at: [78, 112] },
      <path d="M61 66h6v42h-6z" />,
      <path d="M28 112h72v10h-6v14q0 4 -4 4H38q-4 0 -4 -4v-14h-6zM34 117v.1M94 117v.1" />,
      <path d="M52 112q0 -12 12 -12t12 12zM40 126h48M40 132h48" />,
    ),
    piece(
      { name: 'cables', labels: ['shift-cable'], at: [178, 118] },
      <Tube path="M94 128H150C190 128 186 92 222 92H240" width={2} />,
      <Tube path="M94 136H158C200 136 196 104 228 104H240" width={2} />,
      <path d="M126 124h14v8h-14zM132 132h14v8h-14zM216 88h10v8h-10zM220 100h10v8h-10z" />,
    ),
    piece(
      { name: 'transmission', labels: ['transmission'], at: [304, 56] },
      <path d="M276 58q10 -4 16 8l20 6h28v48h-28l-20 6q-6 10 -16 8z" />,
      <Ellipse x={276} y={96} r={38} />,
      <Ellipse x={276} y={96} r={10} />,
    ),
  ],
};
