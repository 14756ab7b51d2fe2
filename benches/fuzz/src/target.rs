use crate::memory;
use crate::targets::{
    backup, catalog_file, codes, embeddings, heic, judge_answer, label_list, multipart, network_graph,
    part_files, photo, price_list, records_csv, supplier_answer, vehicle_facts, vin, webhook, zip,
};

const MIB: usize = 1024 * 1024;

/// Something that reads bytes from outside, and what it may cost.
#[derive(Debug, Clone, Copy)]
pub struct Target {
    /// The name of its corpus.
    pub name: &'static str,
    /// Longest input that the fuzzers make, in bytes.
    pub max_input_bytes: usize,
    /// Memory that one input may take beside what was held before, in bytes.
    pub budget_bytes: usize,
    /// Mutated inputs in the test, chosen so that all targets together take less than two minutes on two cores.
    pub test_runs: u32,
    function: fn(&[u8]),
}

impl Target {
    /// All targets.
    pub const ALL: [Self; 18] = [
        // A megapixel at 30 bytes a pixel in a decoder and 3 while it is held, and tables of the decoders.
        Self::new("photo", photo, 64 * 1024, 64 * MIB, 20_000),
        // Three times as many coded pixels as shown ones are let through.
        Self::new("heic", heic, 4 * 1024, 128 * MIB, 1500),
        // A picture of 255 x 255 at each scale.
        Self::new("codes", codes, 20 * 1024, 32 * MIB, 200),
        // A photograph as above, and a password hash of 19 MiB where the shop is made anew.
        Self::new("multipart", multipart, 32 * 1024, 96 * MIB, 300),
        Self::new("records-csv", records_csv, 16 * 1024, 64 * MIB, 300),
        Self::new("part-files", part_files, 16 * 1024, 64 * MIB, 300),
        Self::new("price-list", price_list, 16 * 1024, 64 * MIB, 300),
        Self::new("catalog-file", catalog_file, 32 * 1024, 64 * MIB, 300),
        Self::new("vehicle-facts", vehicle_facts, 16 * 1024, 32 * MIB, 3000),
        // The first number has the VIN patterns read.
        Self::new("vin", vin, 64, 64 * MIB, 3000),
        Self::new("webhook", webhook, 16 * 1024, 8 * MIB, 5000),
        Self::new("judge-answer", judge_answer, 16 * 1024, 8 * MIB, 10_000),
        Self::new("supplier-answer", supplier_answer, 16 * 1024, 8 * MIB, 5000),
        // The buffer that a file is read with.
        Self::new("backup", backup, 16 * 1024, 8 * MIB, 1000),
        Self::new("label-list", label_list, 16 * 1024, 32 * MIB, 1000),
        Self::new("embeddings", embeddings, 16 * 1024, 8 * MIB, 1000),
        // A photograph as above, and what its entry unpacks to.
        Self::new("zip", zip, 32 * 1024, 64 * MIB, 300),
        // A million numbers in f32 that a head may have, and fields of two bytes that take a hundred when they are read.
        Self::new("network-graph", network_graph, 64 * 1024, 16 * MIB, 2000),
    ];

    const fn new(
        name: &'static str,
        function: fn(&[u8]),
        max_input_bytes: usize,
        budget_bytes: usize,
        test_runs: u32,
    ) -> Self {
        Self { name, max_input_bytes, budget_bytes, test_runs, function }
    }

    /// The target of this name.
    pub fn find(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|target| target.name == name)
    }

    /// Gives it one input.
    ///
    /// # Panics
    /// When the input breaks something, or takes more memory than the budget.
    pub fn run(&self, input: &[u8]) {
        let taken = memory::peak_of(self.budget_bytes, || (self.function)(input));
        assert!(
            taken <= self.budget_bytes,
            "`{}` asked for {taken} bytes, and {} are its budget",
            self.name,
            self.budget_bytes
        );
    }
}
