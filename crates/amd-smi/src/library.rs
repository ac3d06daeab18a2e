//! The functions of the shared library. All `unsafe` code of AMD telemetry is in this file.
//!
//! Sound because: the signatures are those of `amdsmi.h`, which did not change since the first release; every pointer that is passed
//! outlives the call; outputs go to buffers that are larger than any version of the structure written to them; handles come
//! from the library and stay valid while it is initialised, which it is as long as [`Library`] lives.
#![allow(unsafe_code)]

use std::ffi::{c_char, c_uint, c_void};
use std::ptr;

use crate::AmdSmiError;

/// More than the largest structure of any version so far.
const BUFFER: usize = 64 * 1024;
/// GPUs of one socket, or sockets, that are listed at most.
const MOST: usize = 256;
const SUCCESS: u32 = 0;
const INIT_AMD_GPUS: u64 = 1 << 1;
const MEMORY_VRAM: u32 = 0;
const UUID_LENGTH: usize = 64;
/// Newest first; the name without a version comes with the development files.
const NAMES: [&str; 6] = [
    "libamd_smi.so.26",
    "libamd_smi.so.25",
    "libamd_smi.so.24",
    "libamd_smi.so",
    "/opt/rocm/lib/libamd_smi.so",
    "/opt/rocm/lib64/libamd_smi.so",
];

type ListFunction = unsafe extern "C" fn(*mut u32, *mut *mut c_void) -> u32;
type ListOfFunction = unsafe extern "C" fn(*mut c_void, *mut u32, *mut *mut c_void) -> u32;
type StructureFunction = unsafe extern "C" fn(*mut c_void, *mut c_void) -> u32;
type NumberFunction = unsafe extern "C" fn(*mut c_void, *mut u64) -> u32;
type EnergyFunction = unsafe extern "C" fn(*mut c_void, *mut u64, *mut f32, *mut u64) -> u32;
type MemoryFunction = unsafe extern "C" fn(*mut c_void, u32, *mut u64) -> u32;
type UuidFunction = unsafe extern "C" fn(*mut c_void, *mut c_uint, *mut c_char) -> u32;
type InitFunction = unsafe extern "C" fn(u64) -> u32;
type ShutDownFunction = unsafe extern "C" fn() -> u32;

/// A GPU, as the library knows it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Handle(*mut c_void);

// SAFETY: the library locks its state; a handle is only an address for it.
unsafe impl Send for Handle {}
// SAFETY: as above.
unsafe impl Sync for Handle {}

/// A function that fills a structure.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Structure(Option<StructureFunction>);
/// A function that gives a number.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Number(Option<NumberFunction>);

#[derive(Debug)]
pub(crate) struct Library {
    sockets: ListFunction,
    processors: ListOfFunction,
    energy: Option<EnergyFunction>,
    memory: Option<MemoryFunction>,
    uuid: Option<UuidFunction>,
    shut_down: Option<ShutDownFunction>,
    pub(crate) asic_info: Structure,
    pub(crate) power_info: Structure,
    pub(crate) ecc_count: Structure,
    pub(crate) gpu_metrics: Structure,
    pub(crate) bus_address: Number,
    /// Keeps the functions loaded.
    _loaded: libloading::Library,
}

impl Library {
    pub(crate) fn load() -> Result<Self, AmdSmiError> {
        // SAFETY: loading runs the initialisers of AMD's library, which have no conditions.
        let opened = NAMES.iter().find_map(|name| unsafe { libloading::Library::new(name) }.ok());
        let library = opened.ok_or(AmdSmiError::NotInstalled)?;
        // SAFETY: the types are those of `amdsmi.h`.
        unsafe {
            let init: InitFunction = function(&library, "amdsmi_init")?;
            let loaded = Self {
                sockets: function(&library, "amdsmi_get_socket_handles")?,
                processors: function(&library, "amdsmi_get_processor_handles")?,
                energy: function(&library, "amdsmi_get_energy_count").ok(),
                memory: function(&library, "amdsmi_get_gpu_memory_usage").ok(),
                uuid: function(&library, "amdsmi_get_gpu_device_uuid").ok(),
                shut_down: function(&library, "amdsmi_shut_down").ok(),
                asic_info: Structure(function(&library, "amdsmi_get_gpu_asic_info").ok()),
                power_info: Structure(function(&library, "amdsmi_get_power_info").ok()),
                ecc_count: Structure(function(&library, "amdsmi_get_gpu_total_ecc_count").ok()),
                gpu_metrics: Structure(function(&library, "amdsmi_get_gpu_metrics_info").ok()),
                bus_address: Number(function(&library, "amdsmi_get_gpu_bdf_id").ok()),
                _loaded: library,
            };
            checked(init(INIT_AMD_GPUS))?;
            Ok(loaded)
        }
    }

    pub(crate) fn gpus(&self) -> Result<Vec<Handle>, AmdSmiError> {
        // SAFETY: both lists have the room that is passed.
        let sockets = unsafe { listed(|count, room| (self.sockets)(count, room))? };
        let mut all = Vec::new();
        for socket in sockets {
            // SAFETY: as above; the socket comes from the library.
            let gpus = unsafe { listed(|count, room| (self.processors)(socket, count, room))? };
            all.extend(gpus.into_iter().map(Handle));
        }
        Ok(all)
    }

    /// The structure that a function fills; `None` if the function is not there or fails.
    #[expect(clippy::unused_self, reason = "the function is there as long as the library is loaded")]
    pub(crate) fn read(&self, function: Structure, gpu: Handle) -> Option<Vec<u8>> {
        // Aligned like the structures, which have 64-bit numbers.
        let mut room = vec![0_u64; BUFFER / 8];
        // SAFETY: the buffer is larger than the structure.
        checked(unsafe { function.0?(gpu.0, room.as_mut_ptr().cast()) }).ok()?;
        Some(room.iter().take(64).flat_map(|word| word.to_ne_bytes()).collect())
    }

    #[expect(clippy::unused_self, reason = "the function is there as long as the library is loaded")]
    pub(crate) fn number(&self, function: Number, gpu: Handle) -> Option<u64> {
        let mut number = 0;
        // SAFETY: the number outlives the call.
        checked(unsafe { function.0?(gpu.0, &raw mut number) }).ok()?;
        Some(number)
    }

    /// The energy counter and the microjoules of one step.
    pub(crate) fn energy(&self, gpu: Handle) -> Option<(u64, f32)> {
        let (mut count, mut step, mut time) = (0, 0.0, 0);
        // SAFETY: all three outputs outlive the call.
        checked(unsafe { self.energy?(gpu.0, &raw mut count, &raw mut step, &raw mut time) }).ok()?;
        Some((count, step))
    }

    pub(crate) fn memory_used(&self, gpu: Handle) -> Option<u64> {
        let mut bytes = 0;
        // SAFETY: the output outlives the call.
        checked(unsafe { self.memory?(gpu.0, MEMORY_VRAM, &raw mut bytes) }).ok()?;
        Some(bytes)
    }

    pub(crate) fn uuid(&self, gpu: Handle) -> Option<String> {
        let mut room = [0_u8; UUID_LENGTH];
        let mut length = UUID_LENGTH as c_uint;
        // SAFETY: the length is that of the buffer.
        checked(unsafe { self.uuid?(gpu.0, &raw mut length, room.as_mut_ptr().cast()) }).ok()?;
        Some(crate::text(&room))
    }
}

impl Drop for Library {
    fn drop(&mut self) {
        if let Some(shut_down) = self.shut_down {
            // SAFETY: no handle is used after this: handles are only used through this value.
            let _ = unsafe { shut_down() };
        }
    }
}

/// # Safety
/// `T` must be the type of the function with this name.
unsafe fn function<T: Copy>(library: &libloading::Library, name: &'static str) -> Result<T, AmdSmiError> {
    // SAFETY: the caller's promise.
    unsafe { library.get::<T>(name.as_bytes()) }.map(|symbol| *symbol).map_err(|_| AmdSmiError::TooOld(name))
}

/// # Safety
/// `list` must write at most as many pointers as its count says, and set the count to their number.
unsafe fn listed(list: impl Fn(*mut u32, *mut *mut c_void) -> u32) -> Result<Vec<*mut c_void>, AmdSmiError> {
    let mut count = MOST as u32;
    let mut room = vec![ptr::null_mut(); MOST];
    checked(list(&raw mut count, room.as_mut_ptr()))?;
    room.truncate(count as usize);
    Ok(room)
}

fn checked(status: u32) -> Result<(), AmdSmiError> {
    if status == SUCCESS { Ok(()) } else { Err(AmdSmiError::Status(status)) }
}
