import { piece, type Assembly } from '@/components/drawings/assembly';
import { Block, Cylinder, Tube } from '@/components/drawings/solids';

export const BELT_DRIVE: Assembly = {
  name: 'Belt drive',
  pieces: [
    piece(
      { name: 'drive belt', labels: ['serpentine-belt'], at: [182, 40] },
      <path
        d="M66 46C92 34 260 34 292 46C312 56 312 78 296 86C262 100 236 140 180 140C124 140 98 108 64 92C44 82 46 56 66 46Z"
        fill="none"
        strokeWidth="4"
      />,
    ),
    piece(
      {
        name: 'alternator',
        labels: ['alternator', 'alternator-pulley', 'voltage-regulator'],
        at: [74, 44],
      },
      <>
        <circle cx="54" cy="48" r="6" />
        <circle cx="54" cy="90" r="6" />
        <circle cx="74" cy="68" r="24" />
        <path d="M62 52l6 8M86 52l-6 8M62 84l6 -8M86 84l-6 -8M94 68h-8M54 68h8" />
        <circle cx="74" cy="68" r="10" />
        <circle cx="74" cy="68" r="3" />
      </>,
    ),
    piece(
      { name: 'idler pulley', labels: ['idler-pulley'], at: [130, 50] },
      <>
        <circle cx="130" cy="62" r="12" />
        <circle cx="130" cy="62" r="4" />
      </>,
    ),
    piece(
      { name: 'water pump', labels: ['water-pump'], at: [184, 54] },
      <>
        <path d="M164 60q20 -14 40 0l6 22q-10 18 -26 18t-26 -18z" />
        <circle cx="184" cy="78" r="17" />
        <circle cx="184" cy="78" r="5" />
        <path d="M184 67v3M184 86v3M173 78h3M192 78h3" />
      </>,
    ),
    piece(
      { name: 'tensioner', labels: ['belt-tensioner'], at: [236, 52] },
      <>
        <path d="M228 64l22 30 8 -6 -20 -30z" />
        <circle cx="234" cy="64" r="12" />
        <circle cx="234" cy="64" r="3" />
        <circle cx="254" cy="92" r="7" />
      </>,
    ),
    piece(
      { name: 'power steering pump', labels: ['power-steering-pump'], at: [286, 46] },
      <>
        <path d="M268 40h34v14h-34zM278 34h14v6h-14z" />
        <circle cx="286" cy="68" r="20" />
        <circle cx="286" cy="68" r="8" />
        <circle cx="286" cy="68" r="2.5" />
      </>,
    ),
    piece(
      { name: 'A/C compressor', labels: ['air-compressor', 'ac-compressor-clutch'], at: [116, 96] },
      <>
        <circle cx="92" cy="104" r="6" />
        <circle cx="136" cy="134" r="6" />
        <circle cx="114" cy="118" r="22" />
        <circle cx="114" cy="118" r="13" />
        <path d="M114 105v8M103 125l7 -4M125 125l-7 -4" />
        <circle cx="114" cy="118" r="4" />
      </>,
    ),
    piece(
      { name: 'crankshaft pulley', labels: ['harmonic-balancer'], at: [190, 104] },
      <>
        <circle cx="190" cy="124" r="20" />
        <circle cx="190" cy="124" r="14" />
        <circle cx="190" cy="124" r="4" />
        <circle cx="190" cy="115" r="1.5" />
        <circle cx="182" cy="129" r="1.5" />
        <circle cx="198" cy="129" r="1.5" />
      </>,
    ),
  ],
};

export const IGNITION: Assembly = {
  name: 'Ignition with a distributor',
  pieces: [
    piece(
      { name: 'coil', labels: ['ignition-coil', 'ignition-control-module'], at: [44, 50] },
      <>
        <path d="M30 60h28v62q-14 8 -28 0z" />
        <path d="M30 60q14 -8 28 0q-14 8 -28 0zM41 56v-8h6v8M34 54v-5M54 54v-5M30 100q14 8 28 0" />
      </>,
    ),
    piece(
      { name: 'plug wires', labels: ['spark-plug-wires'], at: [228, 52] },
      <>
        <Tube path="M44 46C44 28 130 26 138 44" width={3} />
        <Tube path="M150 46C170 26 250 40 262 76" width={3} />
        <Tube path="M156 50C190 38 280 50 306 76" width={3} />
      </>,
    ),
    piece(
      { name: 'distributor cap', labels: ['distributor-cap'], at: [138, 44] },
      <>
        <path d="M116 72q2 -20 24 -20t24 20z" />
        <path d="M120 58v-10h7v6M134 52v-9h8v9M150 54v-8h7v10M116 72h48" />
      </>,
    ),
    piece(
      { name: 'rotor', labels: ['distributor-rotor'], at: [154, 82] },
      <path d="M130 82h28v6h-14v6h-10v-6h-4zM158 84h6" />,
    ),
    piece(
      { name: 'distributor', labels: ['distributor'], at: [118, 106] },
      <>
        <path d="M116 102h48v12q-8 6 -18 6v8h-12v-8q-10 0 -18 -6z" />
        <path d="M137 128h6v10h-6zM132 138h16v6h-16zM164 104h20v8h-20zM184 108a10 10 0 1 0 20 0a10 10 0 1 0 -20 0" />
      </>,
    ),
    piece(
      { name: 'spark plugs', labels: ['spark-plug'], at: [284, 84] },
      <>
        {[262, 306].map((x) => (
          <path
            key={x}
            d={`M${x - 3} 80h6v16h-6zM${x - 8} 96h16v9h-16zM${x - 5} 105h10v18h-10zM${x - 5} 110h10M${x - 5} 116h10M${x - 2} 123v5h5`}
          />
        ))}
      </>,
    ),
  ],
};

export const AIR_PATH: Assembly = {
  name: 'Air filter to engine',
  pieces: [
    piece(
      { name: 'filter housing', labels: ['air-filter-housing'], at: [54, 38] },
      <>
        <Block x={22} y={46} width={56} height={14} depth={14} />
        <Block x={22} y={112} width={56} height={22} depth={14} />
      </>,
    ),
    piece(
      { name: 'air filter', labels: ['air-filter'], at: [48, 78] },
      <>
        <Block x={24} y={84} width={52} height={10} depth={12} />
        <path d="M32 84v10M40 84v10M48 84v10M56 84v10M64 84v10" />
      </>,
    ),
    piece(
      { name: 'air mass sensor', labels: ['mass-air-flow-sensor'], at: [122, 70] },
      <>
        <Cylinder x={108} y={86} r={15} length={26} hole={11} />
        <path d="M116 64h14v8h-14z" />
      </>,
    ),
    piece(
      { name: 'intake hose', labels: ['air-intake-hose'], at: [176, 66] },
      <>
        <Tube path="M150 86H166C180 86 184 74 204 74" width={22} />
        <path d="M170 74v24M176 73v22M182 70v20" />
      </>,
    ),
    piece(
      {
        name: 'throttle body',
        labels: [
          'throttle-body',
          'throttle-position-sensor',
          'idle-air-control-valve',
          'carburetor',
        ],
        at: [232, 54],
      },
      <>
        <path d="M222 56h20v36h-20z" />
        <Cylinder x={222} y={74} r={14} length={16} hole={10} />
        <path d="M222 66v16M242 62h10v14h-10z" />
      </>,
    ),
    piece(
      {
        name: 'intake manifold',
        labels: ['intake-manifold', 'intake-manifold-gasket', 'map-sensor', 'supercharger'],
        at: [304, 54],
      },
      <>
        <path d="M268 60h74v24h-74z" />
        {[276, 296, 316].map((x) => (
          <path key={x} d={`M${x} 84q0 24 -6 34h16q4 -12 4 -34`} />
        ))}
        <path d="M264 118h70v6h-70z" />
      </>,
    ),
  ],
};
