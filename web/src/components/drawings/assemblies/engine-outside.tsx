import { piece, type Assembly } from '@/components/drawings/assembly';
import { Block, Cylinder, Ellipse, Rings, Tube } from '@/components/drawings/solids';

export const BELT_DRIVE: Assembly = {
  name: 'Belt drive',
  pieces: [
    piece(
      {
        name: 'alternator',
        labels: ['alternator', 'alternator-pulley', 'voltage-regulator'],
        at: [66, 37],
      },
      <circle cx="46" cy="42" r="6" />,
      <circle cx="46" cy="82" r="6" />,
      <circle cx="66" cy="62" r="25" />,
      <path d="M66 41v3M51 47l2 2M81 47l-2 2M45 62h3M84 62h3M51 77l2 -2M81 77l-2 -2M66 80v3" />,
      <Rings x={66} y={62} r={[12, 3]} />,
    ),
    piece(
      { name: 'idler pulley', labels: ['idler-pulley'], at: [158, 42] },
      <Rings x={158} y={54} r={[12, 4]} />,
    ),
    piece(
      { name: 'power steering pump', labels: ['power-steering-pump'], at: [292, 34] },
      <path d="M272 40h40v16h-40zM284 34h16v6h-16z" />,
      <Rings x={292} y={66} r={[18, 8, 2.5]} />,
    ),
    piece(
      { name: 'water pump', labels: ['water-pump'], at: [240, 76] },
      <path d="M222 80q18 -8 36 0l12 16v18l-16 16h-26l-12 -14v-18z" />,
      <Rings x={240} y={104} r={[16, 5]} />,
      <path d="M240 93v3M240 112v3M229 104h3M248 104h3" />,
    ),
    piece(
      { name: 'crankshaft pulley', labels: ['harmonic-balancer'], at: [190, 103] },
      <Rings x={190} y={122} r={[19, 13, 4]} />,
      <circle cx="190" cy="113" r="1.5" />,
      <circle cx="182" cy="127" r="1.5" />,
      <circle cx="198" cy="127" r="1.5" />,
    ),
    piece(
      { name: 'tensioner', labels: ['belt-tensioner'], at: [140, 80] },
      <path d="M133 90h14l-2 34h-10z" />,
      <Rings x={140} y={89} r={[9, 3]} />,
      <Rings x={140} y={124} r={[11, 3]} />,
    ),
    piece(
      { name: 'A/C compressor', labels: ['air-compressor', 'ac-compressor-clutch'], at: [100, 91] },
      <circle cx="71" cy="100" r="6" />,
      <circle cx="113" cy="126" r="6" />,
      <Rings x={92} y={112} r={[22, 17, 11]} />,
      <path d="M92 101v7M82 118l6 -4M102 118l-6 -4" />,
      <circle cx="92" cy="112" r="4" />,
    ),
    piece(
      { name: 'drive belt', labels: ['serpentine-belt'], at: [224, 55] },
      <path
        d="M53.1 67.3A14 14 0 0 1 69.1 48.3L154.9 67.7A14 14 0 0 0 160.3 67.8L288.7 46.3A20 20 0 1 1 292 86L240 86A18 18 0 0 0 223.4 97L209.3 130.2A21 21 0 0 1 176.4 138L148.4 114.1A13 13 0 0 0 134.2 112.3L100.4 129A19 19 0 0 1 74.4 119.2Z"
        fill="none"
        strokeWidth="4"
      />,
    ),
  ],
};

export const IGNITION: Assembly = {
  name: 'Ignition with a distributor',
  pieces: [
    piece(
      { name: 'coil', labels: ['ignition-coil', 'ignition-control-module'], at: [44, 50] },
      <path d="M30 60h28v62q-14 8 -28 0z" />,
      <path d="M30 60q14 -8 28 0q-14 8 -28 0zM41 56v-8h6v8M34 54v-5M54 54v-5M30 100q14 8 28 0" />,
    ),
    piece(
      { name: 'plug wires', labels: ['spark-plug-wires'], at: [228, 52] },
      <Tube path="M44 46C44 28 130 26 138 44" width={3} />,
      <Tube path="M150 46C170 26 250 40 262 76" width={3} />,
      <Tube path="M156 50C190 38 280 50 306 76" width={3} />,
    ),
    piece(
      { name: 'distributor cap', labels: ['distributor-cap'], at: [138, 44] },
      <path d="M116 72q2 -20 24 -20t24 20z" />,
      <path d="M120 58v-10h7v6M134 52v-9h8v9M150 54v-8h7v10M116 72h48" />,
    ),
    piece(
      { name: 'rotor', labels: ['distributor-rotor'], at: [154, 82] },
      <path d="M130 82h28v6h-14v6h-10v-6h-4zM158 84h6" />,
    ),
    piece(
      { name: 'distributor', labels: ['distributor'], at: [118, 106] },
      <path d="M116 102h48v12q-8 6 -18 6v8h-12v-8q-10 0 -18 -6z" />,
      <path d="M137 128h6v10h-6zM132 138h16v6h-16zM164 104h20v8h-20zM184 108a10 10 0 1 0 20 0a10 10 0 1 0 -20 0" />,
    ),
    piece(
      { name: 'spark plugs', labels: ['spark-plug'], at: [284, 84] },
      [262, 306].map((x) => (
        <path
          key={x}
          d={`M${x - 3} 80h6v16h-6zM${x - 8} 96h16v9h-16zM${x - 5} 105h10v18h-10zM${x - 5} 110h10M${x - 5} 116h10M${x - 2} 123v5h5`}
        />
      )),
    ),
  ],
};

export const AIR_PATH: Assembly = {
  name: 'Air filter to engine',
  pieces: [
    piece(
      { name: 'filter housing', labels: ['air-filter-housing'], at: [54, 38] },
      <Block x={22} y={46} width={56} height={14} depth={14} />,
      <Block x={22} y={112} width={56} height={22} depth={14} />,
    ),
    piece(
      { name: 'air filter', labels: ['air-filter'], at: [48, 78] },
      <Block x={24} y={84} width={52} height={10} depth={12} />,
      <path d="M32 84v10M40 84v10M48 84v10M56 84v10M64 84v10" />,
    ),
    piece(
      { name: 'air mass sensor', labels: ['mass-air-flow-sensor'], at: [122, 70] },
      <Cylinder x={108} y={86} r={15} length={26} hole={11} />,
      <path d="M116 64h14v8h-14z" />,
    ),
    piece(
      { name: 'intake hose', labels: ['air-intake-hose'], at: [176, 66] },
      <Tube path="M150 86H166C180 86 184 74 204 74" width={22} />,
      <path d="M170 74v24M176 73v22M182 70v20" />,
    ),
    piece(
      {
        name: 'throttle body',
        labels: ['throttle-body', 'throttle-position-sensor', 'idle-air-control-valve'],
        at: [232, 54],
      },
      <path d="M222 56h20v36h-20z" />,
      <Cylinder x={222} y={74} r={14} length={16} hole={10} />,
      <path d="M222 66v16M242 62h10v14h-10z" />,
    ),
    piece(
      {
        name: 'intake manifold',
        labels: ['intake-manifold', 'intake-manifold-gasket', 'map-sensor'],
        at: [304, 54],
      },
      <path d="M268 60h74v24h-74z" />,
      [276, 296, 316].map((x) => <path key={x} d={`M${x} 84q0 24 -6 34h16q4 -12 4 -34`} />),
      <path d="M264 118h70v6h-70z" />,
    ),
  ],
};

export const CHARGE_AIR: Assembly = {
  name: 'Turbocharger and charge air',
  pieces: [
    piece(
      { name: 'charge pipe', labels: [], at: [96, 50] },
      <Tube path="M48 80V68C48 60 54 57 62 57H146C164 57 162 76 184 76" width={8} />,
      <Tube path="M236 114H262" width={8} />,
    ),
    piece(
      { name: 'turbocharger', labels: ['turbocharger'], at: [80, 77] },
      <path d="M78 122h18v12h-18zM72 134h30v6h-30z" />,
      <Cylinder x={92} y={102} r={17} length={10} />,
      <Cylinder x={76} y={102} r={25} length={16} />,
      <Cylinder x={56} y={102} r={14} length={14} />,
      <path d="M62 114h6v10h-6z" />,
      <Cylinder x={40} y={102} r={31} length={12} />,
      <Ellipse x={40} y={102} r={25} />,
      <Cylinder x={26} y={102} r={17} length={14} hole={14} />,
      <path d="M26 90v8M26 106v8M22 94l3 5M30 94l-3 5M22 110l3 -5M30 110l-3 -5" />,
      <Ellipse x={26} y={102} r={4} />,
    ),
    piece(
      { name: 'wastegate actuator', labels: ['wastegate-actuator'], at: [149, 90] },
      <path d="M114 96h20v3h-20zM152 95h8v5h-8z" />,
      <circle cx="114" cy="97.5" r="4" />,
      <Cylinder x={134} y={97.5} r={13} length={7} />,
      <Cylinder x={139} y={97.5} r={10} length={10} />,
      <path d="M128 112h24v4h-24z" />,
    ),
    piece(
      { name: 'diverter valve', labels: ['diverter-valve'], at: [126, 30] },
      <path d="M116 34q10 -8 20 0v10h-20zM113 44h26v4h-26zM121 48h10v5h-10zM136 36h8v5h-8z" />,
    ),
    piece(
      { name: 'intercooler', labels: ['intercooler'], at: [212, 56] },
      <Block x={190} y={64} width={42} height={58} depth={10} />,
      <path d="M190 72h42M190 80h42M190 88h42M190 96h42M190 104h42M190 112h42" />,
      <path d="M178 62h12v62h-12q-4 -10 -4 -31t4 -31zM232 62h10q5 10 5 31t-5 31h-10z" />,
    ),
    piece(
      { name: 'supercharger of other engines', labels: ['supercharger'], at: [318, 54] },
      <Block x={292} y={58} width={46} height={44} depth={12} />,
      <path d="M300 58l12 -7.2M310 58l12 -7.2M320 58l12 -7.2M330 58l12 -7.2M300 66v28M308 66v28M316 66v28M324 66v28M332 66v28" />,
      <path d="M286 102h58v6h-58z" />,
      <Cylinder x={274} y={80} r={9} length={18} />,
      <Cylinder x={264} y={80} r={19} length={9} />,
      <Ellipse x={264} y={80} r={13} />,
      <Ellipse x={264} y={80} r={4} />,
    ),
  ],
};
