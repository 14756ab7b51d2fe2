import { piece, type Assembly } from '@/components/drawings/assembly';
import {
  Block,
  Cylinder,
  Ellipse,
  Holes,
  Rings,
  Spring,
  Teeth,
  Tube,
} from '@/components/drawings/solids';

export const VALVE_TRAIN: Assembly = {
  name: 'Top of the engine',
  axis: 'M180 30V146',
  pieces: [
    piece(
      {
        name: 'valve cover with its gasket',
        labels: ['valve-cover', 'valve-cover-gasket', 'oil-filler-cap', 'pcv-valve'],
        at: [150, 30],
      },
      <Block x={100} y={36} width={120} height={12} depth={14} />,
      <path d="M100 52h120l10 -6" fill="none" />,
      <ellipse cx="126" cy="31" rx="8" ry="3" />,
    ),
    piece(
      {
        name: 'camshaft',
        labels: ['camshaft', 'vvt-solenoid', 'camshaft-position-sensor'],
        at: [140, 60],
      },
      <Cylinder x={96} y={66} r={3} length={140} />,
      [112, 142, 172, 202].map((x, index) => (
        <path key={x} d={index % 2 === 0 ? `M${x} 60h9l2 14h-13z` : `M${x - 2} 58h13l-2 14h-9z`} />
      )),
      <Cylinder x={86} y={66} r={10} length={6} />,
      <Teeth x={86} y={66} r={10} length={6} />,
    ),
    piece(
      {
        name: 'lifters and rockers',
        labels: ['valve-lifter', 'rocker-arm', 'pushrod'],
        at: [118, 78],
      },
      [112, 142].map((x) => <path key={x} d={`M${x} 80h12v10h-12zM${x} 83h12`} />),
    ),
    piece(
      {
        name: 'valves with their springs',
        labels: ['engine-valve', 'valve-spring'],
        at: [206, 80],
      },
      [178, 206].map((x) => (
        <g key={x}>
          <Spring x={x} top={80} bottom={96} r={6} turns={4} />
          <path d={`M${x - 1} 78h2v34l8 7h-18l8 -7z`} />
        </g>
      )),
    ),
    piece(
      {
        name: 'cylinder head with its gasket',
        labels: ['cylinder-head', 'head-gasket', 'head-bolt', 'vacuum-pump'],
        at: [104, 110],
      },
      <Block x={96} y={112} width={128} height={18} depth={16} />,
      [110, 138, 166, 194].map((x) => <ellipse key={x} cx={x + 8} cy="121" rx="8" ry="5" />),
      <path d="M96 136h128l12 -7M108 136v4M214 136v4" fill="none" />,
    ),
    piece(
      {
        name: 'ignition coil',
        labels: ['ignition-coil', 'ignition-control-module'],
        at: [272, 36],
      },
      <path d="M260 36h24v12h-6v26h-12V48h-6zM284 40h8v6h-8zM266 62h12" />,
    ),
    piece(
      { name: 'spark plug', labels: ['spark-plug'], at: [276, 80] },
      <path d="M269 80h6v12h-6zM266 92h12v8h-12zM268 100h8v14h-8zM270 114v4h4M268 104h8M268 109h8" />,
    ),
    piece(
      { name: 'glow plug of a diesel', labels: ['glow-plug'], at: [318, 34] },
      <path d="M316 34h4v6h-4zM314 40h8v6h-8zM312 46h12v8h-12zM314 54h8v16h-8zM315.5 70h5v8h-5zM316.5 78h3v16l-1.5 3 -1.5 -3zM314 59h8M314 64h8" />,
    ),
    piece(
      {
        name: 'fuel rail with injectors',
        labels: ['fuel-injector', 'fuel-rail', 'fuel-pressure-regulator', 'fuel-pressure-sensor'],
        at: [46, 58],
      },
      <Cylinder x={14} y={62} r={5} length={62} />,
      [24, 44, 64].map((x) => (
        <path
          key={x}
          d={`M${x - 4} 68h8v14h-8zM${x + 4} 70h6v6h-6zM${x - 3} 82h6v14l-3 6 -3 -6z`}
        />
      )),
    ),
    piece(
      {
        name: 'intake manifold with throttle body',
        labels: ['intake-manifold', 'intake-manifold-gasket', 'map-sensor'],
        at: [44, 110],
      },
      <path d="M14 112h62v10h-62z" />,
      [26, 44, 62].map((x) => (
        <Tube key={x} path={`M${x} 122C${x} 132 ${x + 4} 136 ${x + 12} 140`} width={5} />
      )),
      <Cylinder x={10} y={117} r={9} length={8} hole={6} />,
    ),
    piece(
      {
        name: 'exhaust manifold',
        labels: ['exhaust-manifold', 'exhaust-manifold-gasket', 'exhaust-header'],
        at: [312, 100],
      },
      <path d="M262 122h70v8h-70z" />,
      <Tube path="M276 122C276 112 296 106 318 106" width={6} />,
      <Tube path="M316 122C316 112 318 108 330 106" width={6} />,
      <Cylinder x={330} y={106} r={10} length={10} hole={6} />,
    ),
  ],
};

export const CRANK_TRAIN: Assembly = {
  name: 'Engine block and what turns in it',
  axis: 'M96 94H330',
  pieces: [
    piece(
      {
        name: 'piston with rings and rod',
        labels: ['piston', 'piston-ring', 'connecting-rod', 'engine-bearing'],
        at: [48, 32],
      },
      <path d="M32 36q16 -8 32 0v22q-16 8 -32 0z" />,
      <path d="M32 42q16 8 32 0M32 47q16 8 32 0M32 52q16 8 32 0" />,
      <path d="M44 62h8l4 26h-16z" />,
      <circle cx="48" cy="98" r="12" />,
      <circle cx="48" cy="98" r="7" className="fill-canvas" />,
    ),
    piece(
      {
        name: 'crankshaft pulley and seal',
        labels: ['harmonic-balancer', 'crankshaft-seal'],
        at: [92, 74],
      },
      <Cylinder x={86} y={94} r={19} length={9} hole={5} />,
      <Ellipse x={86} y={94} r={13} />,
    ),
    piece(
      { name: 'crankshaft', labels: ['crankshaft'], at: [168, 72] },
      <Cylinder x={114} y={94} r={5} length={18} />,
      [132, 168, 204].map((x, index) => (
        <g key={x}>
          <path d={index % 2 === 0 ? `M${x} 72h7v38q-4 8 -7 0z` : `M${x} 116h7V78q-4 -8 -7 0z`} />
          <Cylinder x={x + 8} y={index % 2 === 0 ? 78 : 110} r={5} length={10} />
          <path
            d={
              index % 2 === 0 ? `M${x + 20} 72h7v38q-4 8 -7 0z` : `M${x + 20} 116h7V78q-4 -8 -7 0z`
            }
          />
          <Cylinder x={x + 28} y={94} r={6} length={7} />
        </g>
      )),
    ),
    piece(
      {
        name: 'rear seal and flywheel',
        labels: ['rear-main-seal', 'flywheel'],
        at: [262, 68],
      },
      <Cylinder x={258} y={94} r={25} length={8} hole={5} />,
      <Teeth x={258} y={94} r={25} length={8} />,
      <Holes x={258} y={94} r={12} count={6} size={1.8} />,
    ),
    piece(
      {
        name: 'engine block',
        labels: ['engine-block', 'freeze-plug', 'knock-sensor', 'engine-mount', 'oil-dipstick'],
        at: [180, 32],
      },
      <Block x={112} y={38} width={128} height={24} depth={16} />,
      [132, 162, 192, 222].map((x) => (
        <ellipse key={x} cx={x} cy="33" rx="10" ry="3" className="fill-canvas" />
      )),
      <path d="M124 50a4 4 0 1 0 .1 0M176 50a4 4 0 1 0 .1 0M228 50a4 4 0 1 0 .1 0" />,
    ),
    piece(
      {
        name: 'oil pan with its drain plug',
        labels: ['oil-pan', 'oil-drain-plug', 'oil-pump'],
        at: [136, 126],
      },
      <path d="M112 126h128l10 -6v4l-10 6h-128zM116 130h120l-8 14h-72l-10 -8h-26z" />,
      <circle cx="168" cy="138" r="3" />,
    ),
    piece(
      {
        name: 'oil filter',
        labels: ['oil-filter', 'oil-filter-housing', 'oil-cooler'],
        at: [316, 64],
      },
      <Cylinder x={302} y={80} r={16} length={30} />,
      <Ellipse x={302} y={80} r={6} />,
      <Holes x={302} y={80} r={11} count={8} size={1.2} />,
    ),
    piece(
      { name: 'oil pressure sensor', labels: ['oil-pressure-sensor'], at: [314, 116] },
      <path d="M298 124h12v8h-12zM310 120h6v16h-6zM316 117h14v22h-14zM330 124h10v8h-10z" />,
    ),
  ],
};

export const TIMING_DRIVE: Assembly = {
  name: 'Timing drive',
  pieces: [
    piece(
      { name: 'cover', labels: ['timing-cover'], at: [66, 38] },
      <path d="M34 46q6 -8 18 -8h28q12 0 18 8v60q-4 34 -32 36q-28 -2 -32 -36z" />,
      <circle cx="66" cy="118" r="9" className="fill-canvas" />,
      <path d="M41 54h.1M91 54h.1M41 98h.1M91 98h.1" strokeWidth="4" />,
    ),
    piece(
      { name: 'belt or chain', labels: ['timing-belt', 'timing-chain'], at: [180, 32] },
      <path
        d="M132 50C132 28 168 28 180 34C192 28 228 28 228 50C228 70 204 90 196 118C194 136 166 136 164 118C156 90 132 70 132 50Z"
        fill="none"
        strokeWidth="4"
        strokeDasharray="4 2"
      />,
    ),
    piece(
      {
        name: 'camshaft wheels',
        labels: ['cam-phaser', 'camshaft', 'camshaft-position-sensor'],
        at: [154, 34],
      },
      [154, 206].map((x) => (
        <g key={x}>
          <circle cx={x} cy="51" r="17" />
          <circle cx={x} cy="51" r="5" />
          <path d={`M${x} 37v6M${x} 59v6M${x - 14} 51h6M${x + 8} 51h6`} />
        </g>
      )),
    ),
    piece(
      { name: 'tensioner', labels: ['timing-belt-tensioner'], at: [220, 80] },
      <path d="M212 84l30 8v8l-30 -4z" />,
      <Rings x={218} y={90} r={[10, 3]} />,
    ),
    piece(
      {
        name: 'crankshaft wheel with seal and sensor',
        labels: ['crankshaft-seal', 'crankshaft-position-sensor', 'crankshaft'],
        at: [180, 106],
      },
      <Rings x={180} y={118} r={[12, 5]} />,
      <path d="M196 124h16v8h-16z" />,
    ),
    piece(
      { name: 'end of the engine', labels: ['engine-block'], at: [300, 38] },
      <path d="M268 38h62v28h10v48l-8 24h-66l-8 -24V66h10z" />,
      <circle cx="286" cy="52" r="6" />,
      <circle cx="314" cy="52" r="6" />,
      <circle cx="300" cy="114" r="8" />,
    ),
  ],
};
