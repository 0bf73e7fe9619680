/*
 * A Vulkan layer for compiling without a device. RADV, given the name of a chip (RADV_FORCE_FAMILY), opens a physical
 * device whose compiler is real and whose hardware is missing. Dawn needs a little more than that:
 *
 * - memory: a single type that can do everything;
 * - submission and synchronization: everything succeeds at once, and nothing is executed;
 * - statistics: every compute pipeline is compiled with them, and they are written to $CODEGEN_OUT/NNNNN.txt,
 *   one "name<TAB>value" per line, then an empty line, then the disassembly.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vulkan/vk_layer.h>
#include <vulkan/vulkan.h>

static PFN_vkGetInstanceProcAddr instance_proc;
static PFN_vkGetDeviceProcAddr device_proc;
static VkInstance instance;
/* Of the next in the chain. Once the instance is made, the loader answers with this layer's own. */
static PFN_vkGetPhysicalDeviceMemoryProperties next_memory_properties;
static PFN_vkGetPhysicalDeviceMemoryProperties2 next_memory_properties2;

#define NEXT_DEVICE(device, name) ((PFN_##name)device_proc(device, #name))

/* ---- The workgroup size of each shader module ---- */

typedef struct Module {
  VkShaderModule handle;
  uint32_t size[3];
  struct Module *next;
} Module;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static Module *modules;
static int pipelines;

/* Finds OpExecutionMode LocalSize in SPIR-V. */
static void read_local_size(const VkShaderModuleCreateInfo *info, uint32_t size[3]) {
  enum { header = 5, op_execution_mode = 16, local_size = 17 };
  const uint32_t *end = info->pCode + info->codeSize / 4;
  for (const uint32_t *word = info->pCode + header; word < end && *word >> 16; word += *word >> 16)
    if ((*word & 0xffff) == op_execution_mode && word[2] == local_size) memcpy(size, word + 3, 3 * sizeof *size);
}

static VKAPI_ATTR VkResult VKAPI_CALL create_shader_module(VkDevice device, const VkShaderModuleCreateInfo *info,
                                                           const VkAllocationCallbacks *callbacks, VkShaderModule *out) {
  VkResult result = NEXT_DEVICE(device, vkCreateShaderModule)(device, info, callbacks, out);
  if (result != VK_SUCCESS) return result;
  Module *module = calloc(1, sizeof *module);
  module->handle = *out;
  read_local_size(info, module->size);
  pthread_mutex_lock(&lock);
  module->next = modules;
  modules = module;
  pthread_mutex_unlock(&lock);
  return result;
}

static const Module *module_of(VkShaderModule handle) {
  static const Module unknown;
  const Module *module = modules;
  while (module && module->handle != handle) module = module->next;
  return module ? module : &unknown;
}

/* ---- Pipelines and their statistics ---- */

static FILE *open_report(int number) {
  const char *folder = getenv("CODEGEN_OUT");
  char path[4096];
  if (!folder || snprintf(path, sizeof path, "%s/%05d.txt", folder, number) >= (int)sizeof path) return NULL;
  return fopen(path, "w");
}

static void print_statistic(FILE *file, const VkPipelineExecutableStatisticKHR *statistic) {
  if (statistic->format == VK_PIPELINE_EXECUTABLE_STATISTIC_FORMAT_FLOAT64_KHR)
    fprintf(file, "%s\t%g\n", statistic->name, statistic->value.f64);
  else
    fprintf(file, "%s\t%llu\n", statistic->name, (unsigned long long)statistic->value.u64);
}

static void print_statistics(FILE *file, VkDevice device, const VkPipelineExecutableInfoKHR *executable) {
  PFN_vkGetPipelineExecutableStatisticsKHR get = NEXT_DEVICE(device, vkGetPipelineExecutableStatisticsKHR);
  uint32_t count = 0;
  get(device, executable, &count, NULL);
  VkPipelineExecutableStatisticKHR *statistics = calloc(count, sizeof *statistics);
  for (uint32_t i = 0; i < count; i++) statistics[i].sType = VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_STATISTIC_KHR;
  get(device, executable, &count, statistics);
  for (uint32_t i = 0; i < count; i++) print_statistic(file, &statistics[i]);
  free(statistics);
}

static void print_disassembly(FILE *file, VkDevice device, const VkPipelineExecutableInfoKHR *executable) {
  PFN_vkGetPipelineExecutableInternalRepresentationsKHR get =
      NEXT_DEVICE(device, vkGetPipelineExecutableInternalRepresentationsKHR);
  uint32_t count = 0;
  get(device, executable, &count, NULL);
  VkPipelineExecutableInternalRepresentationKHR *texts = calloc(count, sizeof *texts);
  for (uint32_t i = 0; i < count; i++)
    texts[i].sType = VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_INTERNAL_REPRESENTATION_KHR;
  get(device, executable, &count, texts);
  for (uint32_t i = 0; i < count; i++) texts[i].pData = calloc(1, texts[i].dataSize + 1);
  get(device, executable, &count, texts);
  for (uint32_t i = 0; i < count; i++) {
    if (strstr(texts[i].name, "ssembly")) fprintf(file, "\n%s\n", (const char *)texts[i].pData);
    free(texts[i].pData);
  }
  free(texts);
}

static void report(VkDevice device, VkPipeline pipeline, const VkComputePipelineCreateInfo *info, int number) {
  FILE *file = open_report(number);
  if (!file) return;
  const uint32_t *size = module_of(info->stage.module)->size;
  fprintf(file, "workgroup\t%u\n", size[0] * size[1] * size[2]);
  VkPipelineInfoKHR which = {VK_STRUCTURE_TYPE_PIPELINE_INFO_KHR, NULL, pipeline};
  VkPipelineExecutablePropertiesKHR properties = {VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_PROPERTIES_KHR};
  /* A compute pipeline has one executable. */
  uint32_t count = 1;
  NEXT_DEVICE(device, vkGetPipelineExecutablePropertiesKHR)(device, &which, &count, &properties);
  fprintf(file, "subgroup\t%u\n", properties.subgroupSize);
  VkPipelineExecutableInfoKHR executable = {VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_INFO_KHR, NULL, pipeline, 0};
  print_statistics(file, device, &executable);
  print_disassembly(file, device, &executable);
  fclose(file);
}

static VKAPI_ATTR VkResult VKAPI_CALL create_compute_pipelines(VkDevice device, VkPipelineCache cache, uint32_t count,
                                                               const VkComputePipelineCreateInfo *infos,
                                                               const VkAllocationCallbacks *callbacks, VkPipeline *out) {
  (void)cache; /* A cached pipeline would have no statistics. */
  VkResult result = VK_SUCCESS;
  for (uint32_t i = 0; i < count; i++) {
    VkComputePipelineCreateInfo info = infos[i];
    info.flags |= VK_PIPELINE_CREATE_CAPTURE_STATISTICS_BIT_KHR | VK_PIPELINE_CREATE_CAPTURE_INTERNAL_REPRESENTATIONS_BIT_KHR;
    VkResult one = NEXT_DEVICE(device, vkCreateComputePipelines)(device, VK_NULL_HANDLE, 1, &info, callbacks, &out[i]);
    if (one != VK_SUCCESS) {
      result = one;
      continue;
    }
    pthread_mutex_lock(&lock);
    report(device, out[i], &info, pipelines++);
    pthread_mutex_unlock(&lock);
  }
  return result;
}

/* ---- Memory: one type of all kinds ---- */

static void widen_memory(VkPhysicalDeviceMemoryProperties *memory) {
  memory->memoryHeapCount = memory->memoryTypeCount = 1;
  memory->memoryHeaps[0] = (VkMemoryHeap){64ull << 30, VK_MEMORY_HEAP_DEVICE_LOCAL_BIT};
  memory->memoryTypes[0] = (VkMemoryType){VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT | VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT |
                                              VK_MEMORY_PROPERTY_HOST_COHERENT_BIT | VK_MEMORY_PROPERTY_HOST_CACHED_BIT,
                                          0};
}

static VKAPI_ATTR void VKAPI_CALL get_memory_properties(VkPhysicalDevice physical, VkPhysicalDeviceMemoryProperties *out) {
  next_memory_properties(physical, out);
  widen_memory(out);
}

static VKAPI_ATTR void VKAPI_CALL get_memory_properties2(VkPhysicalDevice physical, VkPhysicalDeviceMemoryProperties2 *out) {
  next_memory_properties2(physical, out);
  widen_memory(&out->memoryProperties);
}

static VKAPI_ATTR void VKAPI_CALL get_buffer_requirements(VkDevice device, VkBuffer buffer, VkMemoryRequirements *out) {
  NEXT_DEVICE(device, vkGetBufferMemoryRequirements)(device, buffer, out);
  out->memoryTypeBits = 1;
}

static VKAPI_ATTR void VKAPI_CALL get_buffer_requirements2(VkDevice device, const VkBufferMemoryRequirementsInfo2 *info,
                                                           VkMemoryRequirements2 *out) {
  NEXT_DEVICE(device, vkGetBufferMemoryRequirements2)(device, info, out);
  out->memoryRequirements.memoryTypeBits = 1;
}

/* ---- Submission and synchronization: done at once ---- */

static VKAPI_ATTR VkResult VKAPI_CALL succeed(void) { return VK_SUCCESS; }
static VKAPI_ATTR void VKAPI_CALL ignore(void) {}

/* A handle that stands for a fence or a semaphore; nobody looks into it. */
static uint64_t new_handle(void) {
  static uint64_t last = 4096;
  return __sync_add_and_fetch(&last, 16);
}

static VKAPI_ATTR VkResult VKAPI_CALL create_fence(VkDevice device, const VkFenceCreateInfo *info,
                                                   const VkAllocationCallbacks *callbacks, VkFence *out) {
  (void)device, (void)info, (void)callbacks;
  *out = (VkFence)new_handle();
  return VK_SUCCESS;
}

static VKAPI_ATTR VkResult VKAPI_CALL create_semaphore(VkDevice device, const VkSemaphoreCreateInfo *info,
                                                       const VkAllocationCallbacks *callbacks, VkSemaphore *out) {
  (void)device, (void)info, (void)callbacks;
  *out = (VkSemaphore)new_handle();
  return VK_SUCCESS;
}

static VKAPI_ATTR VkResult VKAPI_CALL get_semaphore_counter(VkDevice device, VkSemaphore semaphore, uint64_t *out) {
  (void)device, (void)semaphore;
  *out = UINT64_MAX / 2; /* Later than any value that is waited for. */
  return VK_SUCCESS;
}

static VKAPI_ATTR VkResult VKAPI_CALL get_query_results(VkDevice device, VkQueryPool pool, uint32_t first, uint32_t count,
                                                        size_t size, void *out, VkDeviceSize stride, VkQueryResultFlags flags) {
  (void)device, (void)pool, (void)first, (void)count, (void)stride, (void)flags;
  memset(out, 0, size);
  return VK_SUCCESS;
}

/* ---- The layer's own place in the chain ---- */

static VKAPI_ATTR VkResult VKAPI_CALL create_instance(const VkInstanceCreateInfo *info,
                                                      const VkAllocationCallbacks *callbacks, VkInstance *out) {
  VkLayerInstanceCreateInfo *link = (VkLayerInstanceCreateInfo *)info->pNext;
  while (link && (link->sType != VK_STRUCTURE_TYPE_LOADER_INSTANCE_CREATE_INFO || link->function != VK_LAYER_LINK_INFO))
    link = (VkLayerInstanceCreateInfo *)link->pNext;
  if (!link) return VK_ERROR_INITIALIZATION_FAILED;
  instance_proc = link->u.pLayerInfo->pfnNextGetInstanceProcAddr;
  link->u.pLayerInfo = link->u.pLayerInfo->pNext;
  VkResult result = ((PFN_vkCreateInstance)instance_proc(VK_NULL_HANDLE, "vkCreateInstance"))(info, callbacks, out);
  if (result != VK_SUCCESS) return result;
  instance = *out;
#define NEXT_INSTANCE(name) ((PFN_##name)instance_proc(instance, #name))
  next_memory_properties = NEXT_INSTANCE(vkGetPhysicalDeviceMemoryProperties);
  next_memory_properties2 = NEXT_INSTANCE(vkGetPhysicalDeviceMemoryProperties2);
  return result;
}

static VKAPI_ATTR VkResult VKAPI_CALL create_device(VkPhysicalDevice physical, const VkDeviceCreateInfo *info,
                                                    const VkAllocationCallbacks *callbacks, VkDevice *out) {
  VkLayerDeviceCreateInfo *link = (VkLayerDeviceCreateInfo *)info->pNext;
  while (link && (link->sType != VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO || link->function != VK_LAYER_LINK_INFO))
    link = (VkLayerDeviceCreateInfo *)link->pNext;
  if (!link) return VK_ERROR_INITIALIZATION_FAILED;
  PFN_vkGetInstanceProcAddr next = link->u.pLayerInfo->pfnNextGetInstanceProcAddr;
  device_proc = link->u.pLayerInfo->pfnNextGetDeviceProcAddr;
  link->u.pLayerInfo = link->u.pLayerInfo->pNext;

  /* Statistics are an extension that Dawn doesn't ask for. */
  uint32_t count = info->enabledExtensionCount;
  const char **extensions = calloc(count + 1, sizeof *extensions);
  if (count) memcpy(extensions, info->ppEnabledExtensionNames, count * sizeof *extensions);
  extensions[count] = VK_KHR_PIPELINE_EXECUTABLE_PROPERTIES_EXTENSION_NAME;
  VkPhysicalDevicePipelineExecutablePropertiesFeaturesKHR statistics = {
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PIPELINE_EXECUTABLE_PROPERTIES_FEATURES_KHR, (void *)info->pNext, VK_TRUE};
  VkDeviceCreateInfo extended = *info;
  extended.pNext = &statistics;
  extended.ppEnabledExtensionNames = extensions;
  extended.enabledExtensionCount = count + 1;
  VkResult result = ((PFN_vkCreateDevice)next(instance, "vkCreateDevice"))(physical, &extended, callbacks, out);
  free(extensions);
  return result;
}

typedef struct {
  const char *name;
  PFN_vkVoidFunction function;
} Override;

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL get_instance_proc(VkInstance, const char *);
static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL get_device_proc(VkDevice, const char *);

#define OVERRIDE(name, function) {#name, (PFN_vkVoidFunction)(function)}

static const Override instance_overrides[] = {
    OVERRIDE(vkGetInstanceProcAddr, get_instance_proc),
    OVERRIDE(vkGetDeviceProcAddr, get_device_proc),
    OVERRIDE(vkCreateInstance, create_instance),
    OVERRIDE(vkCreateDevice, create_device),
    OVERRIDE(vkGetPhysicalDeviceMemoryProperties, get_memory_properties),
    OVERRIDE(vkGetPhysicalDeviceMemoryProperties2, get_memory_properties2),
    OVERRIDE(vkGetPhysicalDeviceMemoryProperties2KHR, get_memory_properties2),
    {NULL, NULL},
};

static const Override device_overrides[] = {
    OVERRIDE(vkGetDeviceProcAddr, get_device_proc),
    OVERRIDE(vkCreateShaderModule, create_shader_module),
    OVERRIDE(vkCreateComputePipelines, create_compute_pipelines),
    OVERRIDE(vkGetBufferMemoryRequirements, get_buffer_requirements),
    OVERRIDE(vkGetBufferMemoryRequirements2, get_buffer_requirements2),
    OVERRIDE(vkGetBufferMemoryRequirements2KHR, get_buffer_requirements2),
    OVERRIDE(vkCreateFence, create_fence),
    OVERRIDE(vkDestroyFence, ignore),
    OVERRIDE(vkCreateSemaphore, create_semaphore),
    OVERRIDE(vkDestroySemaphore, ignore),
    OVERRIDE(vkGetSemaphoreCounterValue, get_semaphore_counter),
    OVERRIDE(vkGetSemaphoreCounterValueKHR, get_semaphore_counter),
    OVERRIDE(vkGetQueryPoolResults, get_query_results),
    OVERRIDE(vkBeginCommandBuffer, succeed),
    OVERRIDE(vkEndCommandBuffer, succeed),
    OVERRIDE(vkResetCommandBuffer, succeed),
    OVERRIDE(vkResetCommandPool, succeed),
    OVERRIDE(vkQueueSubmit, succeed),
    OVERRIDE(vkQueueSubmit2, succeed),
    OVERRIDE(vkQueueSubmit2KHR, succeed),
    OVERRIDE(vkQueueWaitIdle, succeed),
    OVERRIDE(vkDeviceWaitIdle, succeed),
    OVERRIDE(vkWaitForFences, succeed),
    OVERRIDE(vkGetFenceStatus, succeed),
    OVERRIDE(vkResetFences, succeed),
    OVERRIDE(vkWaitSemaphores, succeed),
    OVERRIDE(vkWaitSemaphoresKHR, succeed),
    {NULL, NULL},
};

static PFN_vkVoidFunction find(const Override *overrides, const char *name) {
  while (overrides->name && strcmp(overrides->name, name) != 0) overrides++;
  return overrides->function;
}

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL get_device_proc(VkDevice device, const char *name) {
  PFN_vkVoidFunction own = find(device_overrides, name);
  if (own) return own;
  PFN_vkVoidFunction next = device_proc(device, name);
  /* Commands are not even recorded. */
  return next && strncmp(name, "vkCmd", 5) == 0 ? (PFN_vkVoidFunction)ignore : next;
}

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL get_instance_proc(VkInstance of, const char *name) {
  PFN_vkVoidFunction own = find(instance_overrides, name);
  if (own) return own;
  return instance_proc ? instance_proc(of, name) : NULL;
}

VKAPI_ATTR VkResult VKAPI_CALL vkNegotiateLoaderLayerInterfaceVersion(VkNegotiateLayerInterface *interface) {
  interface->loaderLayerInterfaceVersion = 2;
  interface->pfnGetInstanceProcAddr = get_instance_proc;
  interface->pfnGetDeviceProcAddr = get_device_proc;
  interface->pfnGetPhysicalDeviceProcAddr = NULL;
  return VK_SUCCESS;
}
